/** The input and outputs of a command; `process` has all three. */
export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean }
  /** `columns` is the width of a terminal. */
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
}

/** The name of the standard input in a list of files. */
export const STDIN = '-'
