// What a build is told (see `.ci/gguf-kernels/`).
export declare const RELAXED: bool;
export declare const PAIRS: bool;
export declare const PLAIN: bool;
