import { codingOf } from '../gateway/body/content-coding.ts'

/** The bytes of an answer. */
export interface CodedSource {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>
  cancel(): Promise<void>
}

/** The decoder has refused the bytes. */
export class DamagedBody extends Error {}

/**
 * Content codings with the first byte of their bodies, and their names for `DecompressionStream`. The header of an answer
 * names its coding whether or not `fetch` has decoded the body, and platforms decode different ones: its first byte
 * shows it, because no JSON, no SSE and no event stream begins with one of these. null: every platform decodes it, and
 * its bodies have no mark.
 */
const MARKS: ReadonlyMap<string, readonly [first: number, format: string] | null> = new Map([
  ['gzip', [0x1f, 'gzip']],
  ['x-gzip', [0x1f, 'gzip']],
  ['deflate', [0x78, 'deflate']],
  ['zstd', [0x28, 'zstd']],
  ['br', null],
])

/** Whether a body of this coding arrives decoded, or is decoded here. */
export function isDecodable(encoding: string | undefined): boolean {
  const mark = MARKS.get(codingOf(encoding))
  return mark !== undefined && (mark === null || createDecoder(mark[1]) !== null)
}

export function openBody({ body, headers }: Response): CodedSource | null {
  if (body === null) return null
  const mark = MARKS.get(codingOf(headers.get('content-encoding') ?? undefined)) ?? null
  const decoder = mark === null ? null : createDecoder(mark[1])
  return mark === null || decoder === null ? body.getReader() : new CodedBody(body.getReader(), mark[0], decoder)
}

/** Null if the platform does not have the format. */
function createDecoder(format: string): DecompressionStream | null {
  try {
    return new DecompressionStream(format as CompressionFormat)
  } catch {
    return null
  }
}

/** A body that is decoded if its first byte shows that the platform has not done it. */
class CodedBody implements CodedSource {
  private readonly raw: ReadableStreamDefaultReader<Uint8Array>
  private readonly first: number
  private readonly decoder: DecompressionStream
  private decoded: ReadableStreamDefaultReader<Uint8Array> | null = null
  private isPlain = false
  /** The failure of the connection, which the decoder would hide. */
  private failure: unknown = null

  constructor(raw: ReadableStreamDefaultReader<Uint8Array>, first: number, decoder: DecompressionStream) {
    this.raw = raw
    this.first = first
    this.decoder = decoder
  }

  async read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    if (this.isPlain) return this.raw.read()
    if (this.decoded === null) {
      const beginning = await this.raw.read()
      this.isPlain = beginning.done || beginning.value[0] !== this.first
      if (this.isPlain || beginning.value === undefined) return beginning
      this.decoded = this.decoder.readable.getReader()
      void this.feed(beginning.value)
    }
    try {
      return await this.decoded.read()
    } catch {
      throw this.failure ?? new DamagedBody()
    }
  }

  async cancel(): Promise<void> {
    await this.raw.cancel()
  }

  private async feed(beginning: Uint8Array): Promise<void> {
    const writer = this.decoder.writable.getWriter()
    try {
      for (let bytes: Uint8Array | undefined = beginning; bytes !== undefined; ) {
        await writer.write(bytes as Uint8Array<ArrayBuffer>)
        const { done, value }: { readonly done: boolean; readonly value?: Uint8Array | undefined } = await this.raw
          .read()
          .catch((error: unknown) => {
            this.failure = error
            throw error
          })
        bytes = done ? undefined : value
      }
      await writer.close()
    } catch (error) {
      await writer.abort(error).catch(() => undefined)
    }
  }
}
