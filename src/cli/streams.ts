/** Where a command reads and writes; a process has all three. */
export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array | string>
  /** Of a terminal, `columns` is its width. */
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: NodeJS.WritableStream
}

/** The name that stands for the standard input among files. */
export const STDIN = '-'
