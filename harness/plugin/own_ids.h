/* own_ids: the ids of built-in plugins, which no other file may have: attacks that know a defense name it by
 * id, and rankings say of it what is known of the built-in one. */
#ifndef GNT_PLUGIN_OWN_IDS_H
#define GNT_PLUGIN_OWN_IDS_H

int gnt_is_own_id(const char *id);

#endif
