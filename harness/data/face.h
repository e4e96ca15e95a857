/* face: a person who never was, one picture's pose and light, and the painting of both. Private to the sets
 * of faces.
 *
 * A person has what stays from picture to picture: tone, sex, age, hair and the geometry of the face, in face
 * units (face_view.h). A look has what changes. */
#ifndef GNT_DATA_FACE_H
#define GNT_DATA_FACE_H

#include "data/face_view.h"

enum { FACE_TONES = 3, FACE_SEXES = 2, FACE_AGES = 5, FACE_EYEWEARS = 3, FACE_HAIRS = 4 };
enum { FACE_DARK, FACE_MEDIUM, FACE_LIGHT };
enum { FACE_FEMALE, FACE_MALE };
enum { FACE_BABY, FACE_CHILD, FACE_YOUTH, FACE_MIDDLE, FACE_SENIOR };
enum { FACE_BARE, FACE_GLASSES, FACE_SUNGLASSES };
enum { FACE_BLACK, FACE_BLOND, FACE_BROWN, FACE_BALD };
/* How hair is worn; bald heads have CROWN (a ring of it is left) or NONE. */
enum { FACE_SHORT, FACE_BOB, FACE_LONG, FACE_CURLS, FACE_BUN, FACE_CROWN, FACE_NONE };
enum { FACE_SHAVED, FACE_STUBBLE, FACE_MOUSTACHE, FACE_BEARD };

typedef struct face_person {
    int tone, sex, age, hair;
    rgb skin, hairs, brows, lips, iris;
    double wide, taper, square;             /* half the head's width at its middle; its jaw */
    double eye_u, eye_v, eye, brow_v, brow; /* middle of an eye, its size, the brow's height and thickness */
    double nose_v, nose, mouth_v, mouth, lip; /* lower end and width of the nose, half the mouth's width */
    double ear, neck;
    int worn, beard;
    double thick, hairline, fringe, parting; /* of hair: how far it sticks out, where it begins, how curved */
    double lines;                            /* wrinkles, 0 to 1 */
    int wears;                               /* glasses, in most pictures */
    double cheerful;                         /* share of pictures with a smile */
} face_person;

typedef struct face_look {
    int smiles, eyewear;
    double x, y, unit, turn;      /* where the head is, its size in pixels, its roll in turns */
    double yaw, nod;              /* −1 … 1: how far features shift across the head */
    double bend, open;            /* of the mouth */
    double lids, brows;           /* how far eyes are open, how far brows are raised */
    double gain, warm, side, top; /* light: strength, colour, and from where */
} face_look;

/* Draws a person. share: the quantiles of tone, sex and age among all people, each 0 to 1; all else is
 * drawn. */
face_person face_draw_person(gnt_stream *s, const double share[3]);
/* Draws how a person looks in one picture. x, y and unit: where the head is on average, and how large. */
face_look face_draw_look(const face_person *p, gnt_stream *s, double x, double y, double unit);

/* Paint the parts of a picture, in this order. */
void face_behind(face_view *f, gnt_stream *s);
void face_hair_behind(face_view *f, const face_person *p, const face_look *l);
void face_shoulders(face_view *f, const face_person *p, gnt_stream *s);
void face_head(face_view *f, const face_person *p, const face_look *l);
void face_features(face_view *f, const face_person *p, const face_look *l, gnt_stream *s);
void face_hair_before(face_view *f, const face_person *p, const face_look *l);
void face_eyewear(face_view *f, const face_person *p, const face_look *l, gnt_stream *s);

/* Returns the outline of the head, enlarged by `more`. */
face_shape face_outline(const face_person *p, double more);
/* Returns how far (u, v) lies inside the outline. */
double face_in_outline(const face_shape *outline, double u, double v);
/* Projects a point of the face's surface into the picture: features shift as the head turns. */
void face_seen(const face_person *p, const face_look *l, double u, double v, double out[2]);

#endif
