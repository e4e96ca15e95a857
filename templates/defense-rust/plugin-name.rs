//! A defense: adds normal noise to each tensor of an update, in proportion to its root mean square.
use gauntlet_plugin::abi::*;
use gauntlet_plugin::{define_entry, descriptor, free, new, real, text, values, Constant, Host};
use std::ffi::c_void;
use std::os::raw::c_char;

struct Defense {
    host: Host,
    noise: f64,
}

/// Modifies the update in place, after the client computed it.
unsafe extern "C" fn transform_update(
    this: *mut c_void,
    _client: *const gnt_client,
    update: *mut gnt_tensors,
) -> gnt_status {
    let d = &*(this as *const Defense);
    for tensor in (*update).list() {
        let u = tensor.entries();
        if d.host.should_stop() {
            return GNT_STOPPED;
        }
        let sum: f64 = u.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
        let scale = d.noise * (sum / u.len() as f64).sqrt();
        let mut z = vec![0f32; u.len()];
        d.host.normal(text!("noise"), &mut z);
        for (u, z) in u.iter_mut().zip(z) {
            *u += (scale * f64::from(z)) as f32;
        }
    }
    GNT_OK
}

// 1: the larger it is, the stronger is the defense; searches take equal steps on its logarithm
static PARAMETERS: Constant<[gnt_parameter; 1]> = Constant([real(
    text!("noise"),
    1e-3,
    1e3,
    1.0,
    GNT_SCALE_LOG,
    1,
    text!(""),
    text!("standard deviation of the noise, per root mean square of the tensor"),
)]);

unsafe extern "C" fn create(host: *const gnt_host, given: *const gnt_value) -> *mut c_void {
    new(Defense {
        host: Host(host),
        noise: values(given, 1)[0].r,
    })
}

// the mechanism, by the name under which attacks adapt to it
static FAMILIES: Constant<[*const c_char; 2]> = Constant([GNT_FAMILY_NOISE, std::ptr::null()]);

static HOOKS: gnt_defense = gnt_defense {
    transform_update: Some(transform_update),
    ..gauntlet_plugin::NO_DEFENSE_HOOKS
};

static DESCRIPTOR: Constant<gnt_descriptor> = Constant(gnt_descriptor {
    parameters: &PARAMETERS.0 as *const gnt_parameter,
    n_parameters: 1,
    surfaces: GNT_SURFACE_UPDATE,
    data_kinds: GNT_KIND_ANY,
    flags: GNT_FLAG_RANDOMISED,
    families: &FAMILIES.0 as *const *const c_char,
    create: Some(create),
    destroy: Some(free::<Defense>),
    defense: &HOOKS,
    ..descriptor(
        GNT_PLUGIN_DEFENSE,
        text!("plugin-name"),
        text!("0.1"),
        text!("adds noise in proportion to each tensor"),
        text!("MIT"),
    )
});

define_entry!(DESCRIPTOR);
