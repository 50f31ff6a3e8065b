/** The shapes that the server sends to its page. Names of wires and dialects are text: the page may be older than the server. */

interface MountClient {
  /** The wire whose client side the mount serves, such as `anthropic-messages`. */
  readonly protocol: string
  /** Path of streamed requests, with its query; `{model}` is the place of the model, where the path contains it. */
  readonly path: string
}

export interface MountDescription {
  /** Path prefix, without a slash at its end. */
  readonly path: string
  /** The dialect of Responses answers. */
  readonly dialect: string
  readonly clients: readonly MountClient[]
}

interface VendorDescription {
  readonly name: string
  /** The wires of its upstream, the main one first. */
  readonly wires: readonly string[]
  /** The members of its pool. Left out: it has none. */
  readonly members?: readonly string[]
}

/** The answer to `GET /page/api/describe`. */
export interface ServerDescription {
  readonly version: string
  /** The names of `GET {mount}/models`; `<vendor>/*` for a vendor that lists none. */
  readonly models: readonly string[]
  /** The vendors that the server can call, without the recordings. */
  readonly vendors: readonly VendorDescription[]
  readonly mounts: readonly MountDescription[]
  /** Whether the list of requests contains their text. */
  readonly content: boolean
}

/** The answer to `GET /page/api/fixtures`. */
export interface FixtureList {
  /** The names of the recorded streams, `<wire>/<name>`, for `GET /page/api/fixtures/<wire>/<name>`. */
  readonly data: readonly string[]
}
