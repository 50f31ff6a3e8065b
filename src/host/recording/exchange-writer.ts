import { type FileHandle, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repairChecksums } from '../../framing/encode-event-stream.ts'
import { EVENT_STREAM } from '../../framing/eventstream.ts'
import { yieldToLoop } from '../../gateway/run-in-slices.ts'
import { parseJson } from '../../text/json.ts'
import { type ExchangeSettings, formatSettings, REQUEST_FILE, SETTINGS_FILE } from './exchange-format.ts'
import { SecretMask, type SecretSet } from './secret-mask.ts'

/** Prompts and answers are private. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** A larger body is stored as it was sent, because formatting it would delay other exchanges. */
const LARGEST_FORMATTED = 256 * 1024

/** The bytes that are masked without a pause. */
const SLICE = 64 * 1024

/** The memory of all exchanges that are not yet written. */
export class WriteBudget {
  private readonly most: number
  private used = 0

  /** `most`: bytes. */
  constructor(most: number) {
    this.most = most
  }

  /** Returns false if there is no memory left. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.most) return false
    this.used += bytes
    return true
  }

  free(bytes: number): void {
    this.used -= bytes
  }
}

/** The head of `request.json`, and its body as it was sent. */
interface WrittenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

/** A body keeps its own text, so that each of its numbers keeps its digits; a small one that JSON can repeat is formatted. */
function bodyText(body: WrittenRequest['body']): string {
  if (body === null) return 'null'
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  const value = parseJson(text)
  if (value === undefined) return JSON.stringify(text)
  const isSmall = text.length <= LARGEST_FORMATTED && JSON.stringify(value) === text
  return isSmall ? JSON.stringify(value, null, 2).replaceAll('\n', '\n  ') : text.trim()
}

function requestText({ body, ...head }: WrittenRequest): string {
  const text = JSON.stringify(head, null, 2)
  return `${text.slice(0, -'\n}'.length)},\n  "body": ${bodyText(body)}\n}\n`
}

type FinishedSettings = Omit<ExchangeSettings, 'lost' | 'masked'>

/**
 * Writes one exchange to its folder while it runs. Nothing waits for the disk: pieces queue in memory, and an exchange
 * whose disk is too slow or fails is given up, with the reason in its settings where they can be written.
 */
export class ExchangeWriter {
  private readonly secrets: SecretSet
  private readonly budget: WriteBudget
  private readonly folder: Promise<string>
  private mask: SecretMask
  private masked = 0
  private waiting: Uint8Array[] = []
  private handle: FileHandle | null = null
  private file: string | null = null
  private fault: string | null = null
  private work: Promise<void>
  private isWriting = false

  /** `folder` resolves with the path of a folder that exists and belongs to this exchange. */
  constructor(folder: Promise<string>, request: WrittenRequest, secrets: SecretSet, budget: WriteBudget) {
    this.folder = folder
    this.secrets = secrets
    this.budget = budget
    this.mask = new SecretMask(secrets)
    const size = request.body?.length ?? 0
    const fits = budget.take(size)
    if (!fits) this.fault = TOO_SLOW
    this.work = this.guard(async () => {
      if (fits) await this.writeRequest(request)
    }).finally(() => budget.free(fits ? size : 0))
  }

  /** Names the file of the body, and the secrets in it. */
  open(file: string, secrets: SecretSet): void {
    this.file = file
    this.mask = new SecretMask(secrets)
  }

  /** Drops the body. */
  giveUp(reason: string): void {
    this.fault ??= reason
  }

  /** Queues bytes, which this object owns from now on. */
  write(bytes: Uint8Array): void {
    if (this.fault !== null || bytes.length === 0) return
    if (!this.budget.take(bytes.length)) {
      this.fault = TOO_SLOW
      return
    }
    this.waiting.push(bytes)
    if (this.isWriting) return
    this.isWriting = true
    this.work = this.work.then(() => this.guard(() => this.drain()))
  }

  /** Resolves when everything is written, with the reason if something is not. `settings.json` is written last. */
  async finish(settings: FinishedSettings): Promise<string | null> {
    await this.work
    await this.guard(async () => {
      if (this.file === null) return
      await this.append(this.mask.end())
    })
    await this.handle?.close().catch((error: Error) => this.fail(error))
    this.free()
    if (this.mask.count > 0) await this.guard(() => this.repair())
    const lost = this.fault
    const masked = this.masked + this.mask.count
    await this.guard(async () => {
      const text = formatSettings({ ...settings, lost, masked })
      await writeFile(join(await this.folder, SETTINGS_FILE), text, { mode: FILE_MODE, flag: 'wx' })
    })
    return lost ?? this.fault
  }

  private async drain(): Promise<void> {
    for (let pieces = this.waiting.splice(0); pieces.length > 0; pieces = this.waiting.splice(0)) {
      const bytes = Buffer.concat(pieces)
      try {
        for (let at = 0; at < bytes.length && this.fault === null; at += SLICE) {
          await this.append(this.mask.push(bytes.subarray(at, at + SLICE)))
        }
      } finally {
        this.budget.free(bytes.length)
      }
    }
    this.isWriting = false
  }

  /** A masked message of an AWS event stream would be damaged with its old checksum. */
  private async repair(): Promise<void> {
    if (this.file === null || !this.file.endsWith(`.${EVENT_STREAM.extension}`)) return
    const path = join(await this.folder, this.file)
    const bytes = await readFile(path)
    repairChecksums(bytes)
    await writeFile(path, bytes)
  }

  private async append(bytes: Uint8Array): Promise<void> {
    if (this.handle === null) {
      const path = join(await this.folder, this.file ?? 'body.txt')
      this.handle = await open(path, 'wx', FILE_MODE)
    }
    // `write` may write a part, such as what still fits on a disk.
    if (bytes.length > 0) await this.handle.writeFile(bytes)
  }

  private async writeRequest(request: WrittenRequest): Promise<void> {
    const mask = new SecretMask(this.secrets)
    const bytes = Buffer.from(requestText(request))
    const pieces: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += SLICE) {
      pieces.push(mask.push(bytes.subarray(at, at + SLICE)))
      if (bytes.length > SLICE) await yieldToLoop()
    }
    pieces.push(mask.end())
    this.masked += mask.count
    const path = join(await this.folder, REQUEST_FILE)
    await writeFile(path, Buffer.concat(pieces), { mode: FILE_MODE, flag: 'wx' })
  }

  private async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.fail(error)
      this.free()
    }
  }

  private fail(error: unknown): void {
    this.fault ??= error instanceof Error ? error.message : String(error)
  }

  private free(): void {
    for (const piece of this.waiting.splice(0)) this.budget.free(piece.length)
    this.isWriting = false
  }
}

const TOO_SLOW = 'The disk was slower than the answers, and too much of them was waiting.'

const MOST_NAMES = 10_000

/**
 * Creates the folder of an exchange with the name `0007-vendor-model`, or the next free number: another process may
 * record into the same folder. Rejects if it cannot be created.
 */
export async function createExchangeFolder(root: string, number: number, label: string): Promise<string> {
  for (let attempt = 0; attempt < MOST_NAMES; attempt += 1) {
    const folder = join(root, `${String(number + attempt).padStart(4, '0')}-${label}`)
    try {
      await mkdir(folder, { mode: FOLDER_MODE })
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new Error(`${root}: no free name for ${label}`)
}
