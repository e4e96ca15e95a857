//! gauntlet/plugin.h, ABI 0.12, member by member; the header's comments explain all of it. Written by hand:
//! tests/abi/rust of gauntlet compares types, offsets, sizes and constants with the header.
#![allow(non_camel_case_types)]

use core::ffi::c_void;
use std::os::raw::c_char;

pub type gnt_status = i32;

pub const GNT_ABI_MAGIC: u32 = 0x544e5547;
pub const GNT_ABI_MAJOR: i32 = 0;
pub const GNT_ABI_MINOR: i32 = 12;
pub const GNT_RANK: i32 = 6;
pub const GNT_OK: i32 = 0;
pub const GNT_FAILED: i32 = 1;
pub const GNT_UNSUPPORTED: i32 = 2;
pub const GNT_STOPPED: i32 = 3;
pub const GNT_KIND_IMAGE: u32 = 1;
pub const GNT_KIND_TABULAR: u32 = 2;
pub const GNT_KIND_AUDIO: u32 = 4;
pub const GNT_KIND_ANY: u32 = 7;
pub const GNT_TYPE_BOOL: i32 = 1;
pub const GNT_TYPE_INT: i32 = 2;
pub const GNT_TYPE_REAL: i32 = 3;
pub const GNT_TYPE_TEXT: i32 = 4;
pub const GNT_TYPE_CHOICE: i32 = 5;
pub const GNT_TYPE_INT_LIST: i32 = 6;
pub const GNT_TYPE_REAL_LIST: i32 = 7;
pub const GNT_TYPE_MODEL: i32 = 8;
pub const GNT_SCALE_LINEAR: i32 = 0;
pub const GNT_SCALE_LOG: i32 = 1;
pub const GNT_SCALE_COMPLEMENT: i32 = 2;
pub const GNT_SURFACE_UPDATE: u32 = 1;
pub const GNT_SURFACE_ENCODING: u32 = 2;
pub const GNT_SURFACE_REPRESENTATION: u32 = 4;
pub const GNT_SURFACE_TRANSCRIPT: u32 = 8;
pub const GNT_SURFACE_ANY: u32 = 15;
pub const GNT_GOAL_RECONSTRUCTION: u32 = 1;
pub const GNT_GOAL_ATTRIBUTE: u32 = 2;
pub const GNT_GOAL_LABEL: u32 = 4;
pub const GNT_GOAL_CONTRIBUTION: u32 = 8;
pub const GNT_GOAL_REGION: u32 = 16;
pub const GNT_GOAL_MEMBERSHIP: u32 = 32;
pub const GNT_KNOWS_LABELS: u32 = 1 << 0;
pub const GNT_KNOWS_DEFENSE: u32 = 1 << 1;
pub const GNT_KNOWS_PUBLIC: u32 = 1 << 2;
pub const GNT_KNOWS_SHADOW: u32 = 1 << 3;
pub const GNT_KNOWS_SHADOW_OBS: u32 = 1 << 4;
pub const GNT_KNOWS_BN_STATS: u32 = 1 << 5;
pub const GNT_KNOWS_RATES: u32 = 1 << 6;
pub const GNT_KNOWS_REGION: u32 = 1 << 7;
pub const GNT_KNOWS_SUM: u32 = 1 << 8;
pub const GNT_KNOWS_ATTRIBUTE: u32 = 1 << 9;
pub const GNT_KNOWS_HISTORY: u32 = 1 << 10;
pub const GNT_KNOWS_ORDER: u32 = 1 << 11;
pub const GNT_KNOWS_DEFENSE_PRIVATE: u32 = 1 << 12;
pub const GNT_KNOWS_PRIOR_DATA: u32 = 1 << 13;
pub const GNT_OUTPUT_CLASSES: i32 = 0;
pub const GNT_OUTPUT_MAP: i32 = 1;
pub const GNT_LOSS_CROSS_ENTROPY: i32 = 0;
pub const GNT_LOSS_MSE: i32 = 1;
pub const GNT_OPTIMIZER_SGD: i32 = 0;
pub const GNT_OPTIMIZER_ADAM: i32 = 1;
pub const GNT_FN_FEATURES: i32 = 1;
pub const GNT_FN_LOGITS: i32 = 2;
pub const GNT_FN_LOSS: i32 = 3;
pub const GNT_FN_UPDATE: i32 = 4;
pub const GNT_FN_MATCH: i32 = 5;
pub const GNT_FN_STATISTICS: i32 = 6;
pub const GNT_COST_L2: i32 = 1;
pub const GNT_COST_COSINE: i32 = 2;
pub const GNT_COST_L1: i32 = 3;
pub const GNT_COST_SCALE_FREE: i32 = 4;
pub const GNT_WRT_X: u32 = 1;
pub const GNT_WRT_Y: u32 = 2;
pub const GNT_WRT_WEIGHTS: u32 = 4;
pub const GNT_WRT_RATES: u32 = 8;
pub const GNT_HELD_WEIGHTS: u32 = 1;
pub const GNT_HELD_OBSERVED: u32 = 2;
pub const GNT_EXTENSION_MODELS: *const c_char = text!("gauntlet.models");
pub const GNT_EXTENSION_MEMO: *const c_char = text!("gauntlet.memo");
pub const GNT_LOG_DEBUG: i32 = 0;
pub const GNT_LOG_INFO: i32 = 1;
pub const GNT_LOG_WARN: i32 = 2;
pub const GNT_UPDATE_GRADIENT: i32 = 1;
pub const GNT_UPDATE_DELTA: i32 = 2;
pub const GNT_ENDED_UNKNOWN: i32 = 0;
pub const GNT_ENDED_BUDGET: i32 = 1;
pub const GNT_ENDED_TOLERANCE: i32 = 2;
pub const GNT_ENDED_STALL: i32 = 3;
pub const GNT_PLUGIN_DEFENSE: i32 = 1;
pub const GNT_PLUGIN_ATTACK: i32 = 2;
pub const GNT_SCOPE_NONE: i32 = 0;
pub const GNT_SCOPE_TASK: i32 = 1;
pub const GNT_SCOPE_STAGE: i32 = 2;
pub const GNT_IF_ONE_SAMPLE: u32 = 1;
pub const GNT_IF_ONE_STEP: u32 = 2;
pub const GNT_IF_CLASSES: u32 = 4;
pub const GNT_IF_LOCAL_STEPS: u32 = 8;
pub const GNT_IF_DENSE: u32 = 16;
pub const GNT_IF_WHOLE_MODEL: u32 = 32;
pub const GNT_IF_HIDES: u32 = 64;
pub const GNT_IF_NAMED: u32 = 128;
pub const GNT_IF_ONLY_NAMED: u32 = 256;
pub const GNT_FAMILY_NOISE: *const c_char = text!("noise");
pub const GNT_FAMILY_CLIPPING: *const c_char = text!("clipping");
pub const GNT_FAMILY_PRUNING: *const c_char = text!("pruning");
pub const GNT_FAMILY_MIXING: *const c_char = text!("mixing");
pub const GNT_FAMILY_ANY: *const c_char = text!("any");
pub const GNT_FLAG_RANDOMISED: u32 = 1;
pub const GNT_FLAG_NEEDS_PUBLIC: u32 = 2;
pub const GNT_FLAG_NEEDS_SHADOW: u32 = 4;
pub const GNT_FLAG_NO_GRADIENT: u32 = 8;
pub const GNT_FLAG_ARTEFACTS_PRIVATE: u32 = 16;
pub const GNT_FLAG_FIRST_DENSE: u32 = 32;
pub const GNT_FLAG_TAKES_START: u32 = 128;
pub const GNT_FLAG_PREPARES_ONCE: u32 = 256;
pub const GNT_FLAG_BUDGET_SCHEDULE: u32 = 512;
pub const GNT_FLAG_RESUMES: u32 = 1024;
pub const GNT_FLAG_ACTIVE: u32 = 64;

#[repr(C)]
pub struct gnt_view {
    pub name: *const c_char,
    pub rank: i32,
    pub layer: i32,
    pub dim: [i64; GNT_RANK as usize],
    pub count: i64,
    pub data: *const f32,
}

#[repr(C)]
pub struct gnt_views {
    pub n: i64,
    pub view: *const gnt_view,
}

#[repr(C)]
pub struct gnt_tensor {
    pub name: *const c_char,
    pub rank: i32,
    pub layer: i32,
    pub dim: [i64; GNT_RANK as usize],
    pub count: i64,
    pub data: *mut f32,
}

#[repr(C)]
pub struct gnt_tensors {
    pub n: i64,
    pub tensor: *mut gnt_tensor,
}

#[repr(C)]
pub struct gnt_attribute {
    pub name: *const c_char,
    pub values: i32,
    pub weight: f32,
    pub reserved: [u64; 2],
}

#[repr(C)]
pub struct gnt_samples {
    pub size: u32,
    pub kind: u32,
    pub n: i64,
    pub rank: i32,
    pub classes: i32,
    pub dim: [i64; 3],
    pub features: i64,
    pub id: *const i64,
    pub x: *const f32,
    pub y: *const f32,
    pub n_attributes: i32,
    pub reserved: i32,
    pub attribute: *const gnt_attribute,
    pub a: *const i32,
    pub mask: *const u8,
}

#[repr(C)]
pub struct gnt_blob {
    pub name: *const c_char,
    pub data: *const u8,
    pub count: i64,
}

#[repr(C)]
pub struct gnt_artefacts {
    pub size: u32,
    pub reserved: u32,
    pub tensors: gnt_views,
    pub n_blobs: i64,
    pub blob: *const gnt_blob,
}

#[repr(C)]
pub struct gnt_parameter {
    pub id: *const c_char,
    pub kind: i32,
    pub scale: i32,
    pub unit: *const c_char,
    pub least: f64,
    pub most: f64,
    pub preset: f64,
    pub preset_text: *const c_char,
    pub choices: *const *const c_char,
    pub strength: i32,
    pub reserved: i32,
    pub help: *const c_char,
    pub member: u64,
    pub reserved_word: u64,
}

#[repr(C)]
pub struct gnt_list {
    pub n: i64,
    pub at: *const f64,
}

#[repr(C)]
pub struct gnt_value {
    pub id: *const c_char,
    pub kind: i32,
    pub reserved: i32,
    pub i: i64,
    pub r: f64,
    pub text: *const c_char,
    pub n: i64,
    pub list: *const f64,
}

#[repr(C)]
pub struct gnt_layer_info {
    pub name: *const c_char,
    pub kind: *const c_char,
    pub rank: i32,
    pub reserved: i32,
    pub dim: [i64; GNT_RANK as usize],
    pub reserved_word: [u64; 2],
}

#[repr(C)]
pub struct gnt_model_info {
    pub size: u32,
    pub classes: i32,
    pub name: *const c_char,
    pub params: gnt_views,
    pub buffers: gnt_views,
    pub n_params: i64,
    pub n_buffers: i64,
    pub n_layers: i32,
    pub representation: i32,
    pub layer: *const gnt_layer_info,
    pub rank: i32,
    pub training_stats: i32,
    pub dim: [i64; 3],
    pub mean: *const f32,
    pub deviation: *const f32,
    pub federated: *const u8,
    pub output: i32,
    pub loss: i32,
}

#[repr(C)]
pub struct gnt_function_spec {
    pub size: u32,
    pub kind: i32,
    pub n: i64,
    pub layer: *const i32,
    pub n_layers: i32,
    pub steps: i32,
    pub batch: i64,
    pub order: *const i64,
    pub training: i32,
    pub cost: i32,
    pub layer_weight: *const f32,
    pub masked: i32,
    pub vjp: u32,
    pub jvp: u32,
    pub held: u32,
    pub momentum: f64,
    pub decay: f64,
    pub optimizer: i32,
}

#[repr(C)]
pub struct gnt_function_args {
    pub size: u32,
    pub reserved: u32,
    pub x: *const f32,
    pub y: *const f32,
    pub weights: *const f32,
    pub buffers: *const f32,
    pub rates: *const f32,
    pub observed: *const *const f32,
    pub mask: *const *const f32,
}

#[repr(C)]
pub struct gnt_gradient {
    pub x: *const f32,
    pub y: *const f32,
    pub weights: *const *const f32,
    pub rates: *const f32,
    pub reserved: [*const c_void; 2],
}

#[repr(C)]
pub struct gnt_model_service {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub info: *const gnt_model_info,
    pub prepare: Option<
        unsafe extern "C" fn(context: *mut c_void, spec: *const gnt_function_spec) -> *mut gnt_function,
    >,
    pub release: Option<unsafe extern "C" fn(context: *mut c_void, f: *mut gnt_function)>,
    pub eval: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            f: *mut gnt_function,
            args: *const gnt_function_args,
            outputs: *mut *const gnt_views,
        ) -> gnt_status,
    >,
    pub vjp: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            f: *mut gnt_function,
            u: *const *const f32,
            out: *mut *const gnt_gradient,
        ) -> gnt_status,
    >,
    pub jvp: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            f: *mut gnt_function,
            direction: *const gnt_function_args,
            outputs: *mut *const gnt_views,
        ) -> gnt_status,
    >,
    pub changed: Option<unsafe extern "C" fn(context: *mut c_void, f: *mut gnt_function)>,
}

#[repr(C)]
pub struct gnt_named_model {
    pub size: u32,
    pub reserved: u32,
    pub id: *const c_char,
    pub service: *const gnt_model_service,
    pub weights: *const f32,
    pub buffers: *const f32,
}

#[repr(C)]
pub struct gnt_models {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub open: Option<
        unsafe extern "C" fn(context: *mut c_void, parameter: *const c_char) -> *const gnt_named_model,
    >,
}

#[repr(C)]
pub struct gnt_memo {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub find: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            key: *const u8,
            count: *mut i64,
            is_new: *mut i32,
        ) -> *const c_void,
    >,
    pub put: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            n: i64,
            keys: *const u8,
            data: *const c_void,
            count: i64,
        ) -> gnt_status,
    >,
}

#[repr(C)]
pub struct gnt_host {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub context: *mut c_void,
    pub log: Option<unsafe extern "C" fn(context: *mut c_void, level: i32, text: *const c_char)>,
    pub progress: Option<unsafe extern "C" fn(context: *mut c_void, done: f64, total: f64)>,
    pub should_stop: Option<unsafe extern "C" fn(context: *mut c_void) -> i32>,
    pub fail: Option<unsafe extern "C" fn(context: *mut c_void, text: *const c_char) -> gnt_status>,
    pub last_error: Option<unsafe extern "C" fn(context: *mut c_void) -> *const c_char>,
    pub uniform:
        Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, n: i64, out: *mut f64)>,
    pub normal:
        Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, n: i64, out: *mut f32)>,
    pub laplace:
        Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, n: i64, out: *mut f32)>,
    pub below: Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, n: u64) -> u64>,
    pub scratch: Option<unsafe extern "C" fn(context: *mut c_void, bytes: usize) -> *mut c_void>,
    pub fact: Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, value: f64)>,
    pub model: *const gnt_model_service,
    pub extension:
        Option<unsafe extern "C" fn(context: *mut c_void, id: *const c_char, revision: u32) -> *const c_void>,
}

#[repr(C)]
pub struct gnt_sink {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub tensor: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            name: *const c_char,
            rank: i32,
            dim: *const i64,
            data: *const f32,
        ) -> gnt_status,
    >,
    pub blob: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            name: *const c_char,
            data: *const u8,
            count: i64,
        ) -> gnt_status,
    >,
}

#[repr(C)]
pub struct gnt_defense_prepare {
    pub size: u32,
    pub stage: i32,
    pub public_data: *const gnt_samples,
    pub shadow_data: *const gnt_samples,
    pub weights: *const f32,
    pub buffers: *const f32,
    pub n_clients: i32,
    pub steps: i32,
    pub batch: i64,
    pub rate: f64,
    pub rounds: i32,
    pub per_round: i32,
}

#[repr(C)]
pub struct gnt_client {
    pub size: u32,
    pub index: i32,
    pub round: i32,
    pub n_clients: i32,
    pub n_samples: i64,
    pub n_labels: i64,
    pub rate: f64,
    pub steps: i32,
    pub reserved: i32,
    pub batch: i64,
    pub samples: *const gnt_samples,
    pub weights: *const f32,
    pub buffers: *const f32,
    pub artefacts: *const gnt_artefacts,
    pub public_data: *const gnt_samples,
    pub rounds: i32,
    pub per_round: i32,
    pub sent_buffers: *mut gnt_tensors,
    pub momentum: f64,
    pub decay: f64,
}

#[repr(C)]
pub struct gnt_aggregate {
    pub size: u32,
    pub round: i32,
    pub n_clients: i64,
    pub n_params: i64,
    pub old_weights: *const f32,
    pub update: *const *const f32,
    pub share: *const f64,
    pub rate: f64,
    pub is_gradient: i32,
    pub reserved: i32,
    pub public_data: *const gnt_samples,
    pub artefacts: *const gnt_artefacts,
    pub buffers: *const f32,
    pub client_buffers: *const *const f32,
    pub new_buffers: *mut f32,
    pub n_buffers: i64,
    pub client: *const i32,
    pub samples: *const i64,
}

#[repr(C)]
pub struct gnt_samples_sink {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub put: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            x: *const f32,
            y: *const f32,
            source_id: i64,
        ) -> gnt_status,
    >,
    pub mixed: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            n: i64,
            source_id: *const i64,
            weight: *const f64,
        ) -> gnt_status,
    >,
}

#[repr(C)]
pub struct gnt_defense {
    pub size: u32,
    pub reserved: u32,
    pub prepare: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            input: *const gnt_defense_prepare,
            out: *const gnt_sink,
        ) -> gnt_status,
    >,
    pub contribute_size: Option<unsafe extern "C" fn(this: *mut c_void) -> i64>,
    pub contribute: Option<
        unsafe extern "C" fn(this: *mut c_void, client: *const gnt_client, vector: *mut f64) -> gnt_status,
    >,
    pub receive_sum: Option<unsafe extern "C" fn(this: *mut c_void, sum: *const f64, n: i64) -> gnt_status>,
    pub encode_set: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            client: *const gnt_client,
            epoch: i64,
            out: *const gnt_samples_sink,
        ) -> gnt_status,
    >,
    pub encode_batch: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            client: *const gnt_client,
            step: i64,
            out: *const gnt_samples_sink,
        ) -> gnt_status,
    >,
    pub local_rate: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            client: *const gnt_client,
            step: i64,
            rate: *mut f64,
        ) -> gnt_status,
    >,
    pub client_update: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            client: *const gnt_client,
            update: *mut gnt_tensors,
        ) -> gnt_status,
    >,
    pub transform_update: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            client: *const gnt_client,
            update: *mut gnt_tensors,
        ) -> gnt_status,
    >,
    pub aggregate: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            input: *const gnt_aggregate,
            new_weights: *mut f32,
        ) -> gnt_status,
    >,
    pub save:
        Option<unsafe extern "C" fn(this: *mut c_void, client: i32, out: *const gnt_sink) -> gnt_status>,
    pub load: Option<
        unsafe extern "C" fn(this: *mut c_void, client: i32, state: *const gnt_artefacts) -> gnt_status,
    >,
    pub encode_query: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            client: *const gnt_client,
            draw: i64,
            out: *const gnt_samples_sink,
        ) -> gnt_status,
    >,
}

#[repr(C)]
pub struct gnt_transcript {
    pub size: u32,
    pub n_clients: i32,
    pub n: i64,
    pub masked: *const u64,
    pub scale: f64,
}

#[repr(C)]
pub struct gnt_observation {
    pub size: u32,
    pub surface: u32,
    pub granted: u32,
    pub goals: u32,
    pub round: i32,
    pub update_kind: i32,
    pub steps: i32,
    pub attribute: i32,
    pub attribute_values: i32,
    pub classes: i32,
    pub n: i64,
    pub batch: i64,
    pub rate: f64,
    pub update: *const gnt_views,
    pub weights: *const f32,
    pub buffers: *const f32,
    pub encoded: *const gnt_samples,
    pub representation: *const gnt_views,
    pub transcript: *const gnt_transcript,
    pub labels: *const f32,
    pub rates: *const f32,
    pub batch_mean: *const f32,
    pub outside: *const gnt_samples,
    pub sum: *const f64,
    pub n_sum: i64,
    pub defense: *const c_char,
    pub defense_values: *const gnt_value,
    pub n_defense_values: i64,
    pub defense_artefacts: *const gnt_artefacts,
    pub public_data: *const gnt_samples,
    pub history: *const *const gnt_observation,
    pub n_history: i64,
    pub budget: i64,
    pub n_contribution: i64,
    pub n_clients: i32,
    pub reserved: i32,
    pub order: *const i32,
    pub momentum: f64,
    pub candidates: *const gnt_samples,
    pub start_x: *const f32,
    pub start_y: *const f32,
    pub decay: f64,
    pub sent_buffers: *const gnt_views,
    pub prior_data: *const gnt_samples,
    pub optimizer: i32,
}

#[repr(C)]
pub struct gnt_attack_prepare {
    pub size: u32,
    pub stage: i32,
    pub public_data: *const gnt_samples,
    pub shadow_data: *const gnt_samples,
    pub n_shadow: i64,
    pub shadow: *const *const gnt_observation,
    pub shadow_truth: *const *const gnt_samples,
    pub attribute: i32,
    pub attribute_values: i32,
    pub weights: *const f32,
    pub buffers: *const f32,
    pub setting: *const gnt_observation,
}

#[repr(C)]
pub struct gnt_answer {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub reconstruction:
        Option<unsafe extern "C" fn(context: *mut c_void, count: i64, x: *const f32) -> gnt_status>,
    pub labels: Option<
        unsafe extern "C" fn(context: *mut c_void, n: i64, classes: i32, scores: *const f32) -> gnt_status,
    >,
    pub attribute:
        Option<unsafe extern "C" fn(context: *mut c_void, values: i32, scores: *const f32) -> gnt_status>,
    pub cost: Option<unsafe extern "C" fn(context: *mut c_void, restart: i32, step: i64, cost: f64)>,
    pub chosen: Option<unsafe extern "C" fn(context: *mut c_void, restart: i32, cost: f64)>,
    pub mixture: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            encodings: i64,
            count: i64,
            weight: *const f32,
        ) -> gnt_status,
    >,
    pub similarity:
        Option<unsafe extern "C" fn(context: *mut c_void, encodings: i64, score: *const f32) -> gnt_status>,
    pub contribution:
        Option<unsafe extern "C" fn(context: *mut c_void, n: i64, value: *const f64) -> gnt_status>,
    pub attributes: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            attribute: i32,
            n: i64,
            values: i32,
            scores: *const f32,
        ) -> gnt_status,
    >,
    pub region: Option<unsafe extern "C" fn(context: *mut c_void, n: i64, scores: *const f32) -> gnt_status>,
    pub membership:
        Option<unsafe extern "C" fn(context: *mut c_void, n: i64, scores: *const f32) -> gnt_status>,
    pub ended: Option<unsafe extern "C" fn(context: *mut c_void, reason: i32, steps: i64)>,
}

#[repr(C)]
pub struct gnt_attack {
    pub size: u32,
    pub reserved: u32,
    pub prepare: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            input: *const gnt_attack_prepare,
            out: *const gnt_sink,
        ) -> gnt_status,
    >,
    pub run: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            seen: *const gnt_observation,
            own: *const gnt_artefacts,
            answer: *const gnt_answer,
        ) -> gnt_status,
    >,
    pub broadcast: Option<
        unsafe extern "C" fn(
            this: *mut c_void,
            input: *const gnt_broadcast,
            weights: *mut f32,
            buffers: *mut f32,
        ) -> gnt_status,
    >,
}

#[repr(C)]
pub struct gnt_descriptor {
    pub size: u32,
    pub kind: i32,
    pub id: *const c_char,
    pub version: *const c_char,
    pub line: *const c_char,
    pub licence: *const c_char,
    pub citation: *const c_char,
    pub parameters: *const gnt_parameter,
    pub n_parameters: i32,
    pub scope: i32,
    pub surfaces: u32,
    pub goals: u32,
    pub needs: u32,
    pub uses: u32,
    pub data_kinds: u32,
    pub flags: u32,
    pub services: *const *const c_char,
    pub create: Option<unsafe extern "C" fn(host: *const gnt_host, values: *const gnt_value) -> *mut c_void>,
    pub destroy: Option<unsafe extern "C" fn(this: *mut c_void)>,
    pub defense: *const gnt_defense,
    pub attack: *const gnt_attack,
    pub families: *const *const c_char,
    pub instance_size: u64,
    pub start: Option<unsafe extern "C" fn(this: *mut c_void) -> gnt_status>,
    pub stop: Option<unsafe extern "C" fn(this: *mut c_void)>,
    pub conditions: u32,
    pub reserved: u32,
    pub least_public: i64,
    pub least_shadow: i64,
}

#[repr(C)]
pub struct gnt_entry {
    pub magic: u32,
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub pointer_size: u32,
    pub build: *const c_char,
    pub n_plugins: i32,
    pub reserved: i32,
    pub descriptor: Option<unsafe extern "C" fn(index: i32) -> *const gnt_descriptor>,
}

#[repr(C)]
pub struct gnt_function {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct gnt_broadcast {
    _opaque: [u8; 0],
}
