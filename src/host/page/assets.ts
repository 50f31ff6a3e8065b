import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import { PRESSED } from './pressed.ts'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const decompressed = promisify(brotliDecompress)

/** One file of the page, in the content coding that the client accepts. */
export interface Asset {
  readonly type: string
  readonly coding: 'br' | 'gzip' | null
  readonly etag: string
  readonly bytes: Uint8Array
}

/** The files of the page, read or bundled when the first one is requested. */
export interface Assets {
  /** Resolves with null for an unknown name. Rejects if the page cannot be bundled. */
  find(name: string, acceptEncoding: string | undefined): Promise<Asset | null>
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}

/** A source file runs in a checkout, where the page is bundled; a compiled one has the bundle beside it. */
const isCheckout = import.meta.url.endsWith('.ts')
const BUNDLED = new URL('../../page/', import.meta.url)

type Files = ReadonlyMap<string, Uint8Array>

/** The page of a checkout, which all servers of a process share. */
let bundled: Promise<Files> | null = null

async function readFiles(): Promise<Files> {
  if (isCheckout) {
    bundled ??= import('./bundle.ts').then(({ bundlePage }) => bundlePage())
    // A mistake in the sources can be corrected while the server runs.
    bundled.catch(() => {
      bundled = null
    })
    return bundled
  }
  const names = await readdir(BUNDLED)
  const files = names.map(async (name) => {
    const bytes = await decompressed(await readFile(new URL(name, BUNDLED)))
    return [name.slice(0, -PRESSED.length), bytes] as const
  })
  return new Map(await Promise.all(files))
}

export function createAssets(read: () => Promise<Files> = readFiles): Assets {
  let files: ReturnType<typeof read> | null = null
  const made = new Map<string, Promise<Asset>>()
  return {
    async find(name, acceptEncoding) {
      files ??= read()
      // A mistake in the sources can be corrected while the server runs.
      files.catch(() => {
        files = null
      })
      const bytes = (await files).get(name)
      if (bytes === undefined) return null
      const coding = (['br', 'gzip'] as const).find((one) => acceptsCoding(acceptEncoding, one)) ?? null
      const id = `${name} ${coding}`
      const asset = made.get(id) ?? encode(name, bytes, coding)
      made.set(id, asset)
      return asset
    },
  }
}

/**
 * Whether a client accepts this content coding, by its header `Accept-Encoding` (RFC 9110, 12.5.3). A weight of zero
 * refuses a coding; other weights are not compared. Without a header, only the identity is sent.
 */
function acceptsCoding(header: string | undefined, coding: string): boolean {
  const rows = (header ?? '').split(',').map((row) => row.split(';').map((word) => word.trim().toLowerCase()))
  const row = rows.find(([name]) => name === coding) ?? rows.find(([name]) => name === '*')
  return row !== undefined && !row.slice(1).some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
}

async function encode(name: string, bytes: Uint8Array, coding: Asset['coding']): Promise<Asset> {
  const encoded = coding === 'br' ? await toBrotli(bytes) : coding === 'gzip' ? await toGzip(bytes) : bytes
  const type = TYPES[name.replace(/^.*\./, '')] ?? 'application/octet-stream'
  return { type, coding, etag: `"${hash('sha256', encoded).slice(0, 32)}"`, bytes: encoded }
}

const toGzip = (bytes: Uint8Array): Promise<Uint8Array> => compressGzip(bytes, { level: 9 })

/** The highest quality takes a second for a bundle; this one takes a twentieth of that, and a few percent more bytes. */
const toBrotli = (bytes: Uint8Array): Promise<Uint8Array> =>
  compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
