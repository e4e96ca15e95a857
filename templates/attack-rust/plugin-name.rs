//! An attack: in the gradient of a dense layer each row is the layer's input times the entry of the bias.
//! Dividing one by the other gives the input: for the first layer, the private sample.
use gauntlet_plugin::abi::*;
use gauntlet_plugin::{define_entry, descriptor, free, new, real, slice, text, values, Constant, Host};
use std::ffi::c_void;

struct Attack {
    host: Host,
    least: f64,
}

/// Reads an observation, answers through `answer`.
unsafe extern "C" fn run(
    this: *mut c_void,
    seen: *const gnt_observation,
    _own: *const gnt_artefacts,
    answer: *const gnt_answer,
) -> gnt_status {
    let a = &*(this as *const Attack);
    let info = a.host.model();
    let update = (*(*seen).update).list();
    let (weight, bias) = (&update[0], update[1].entries());
    let features = weight.dim[1] as usize;
    let unit = (0..bias.len()).fold(0, |at, i| if bias[i].abs() > bias[at].abs() { i } else { at });
    if f64::from(bias[unit].abs()) <= a.least {
        return a
            .host
            .unsupported("the first layer's bias has no gradient above `least`: lower it");
    }
    let row = &weight.entries()[unit * features..(unit + 1) * features];
    let mut x: Vec<f32> = row.iter().map(|w| w / bias[unit]).collect();
    if !info.mean.is_null() {
        // models may normalise each channel
        let (mean, deviation) = (slice(info.mean, info.dim[0]), slice(info.deviation, info.dim[0]));
        for (k, pixel) in x.iter_mut().enumerate() {
            let channel = k / (features / info.dim[0] as usize);
            *pixel = *pixel * deviation[channel] + mean[channel];
        }
    }
    ((*answer).reconstruction.unwrap())((*answer).context, 1, x.as_ptr())
}

static PARAMETERS: Constant<[gnt_parameter; 1]> = Constant([real(
    text!("least"),
    0.0,
    1.0,
    0.0,
    GNT_SCALE_LINEAR,
    0,
    text!(""),
    text!("least bias gradient to divide by"),
)]);

unsafe extern "C" fn create(host: *const gnt_host, given: *const gnt_value) -> *mut c_void {
    new(Attack {
        host: Host(host),
        least: values(given, 1)[0].r,
    })
}

static HOOKS: gnt_attack = gnt_attack {
    run: Some(run),
    ..gauntlet_plugin::NO_ATTACK_HOOKS
};

static DESCRIPTOR: Constant<gnt_descriptor> = Constant(gnt_descriptor {
    parameters: &PARAMETERS.0 as *const gnt_parameter,
    n_parameters: 1,
    surfaces: GNT_SURFACE_UPDATE,
    goals: GNT_GOAL_RECONSTRUCTION,
    data_kinds: GNT_KIND_ANY,
    flags: GNT_FLAG_FIRST_DENSE,   // n/a unless the model's first layer is dense
    conditions: GNT_IF_ONE_SAMPLE, // n/a for batches
    create: Some(create),
    destroy: Some(free::<Attack>),
    attack: &HOOKS,
    ..descriptor(
        GNT_PLUGIN_ATTACK,
        text!("plugin-name"),
        text!("0.1"),
        text!("divides a row of the first layer's gradient by its bias"),
        text!("MIT"),
    )
});

define_entry!(DESCRIPTOR);
