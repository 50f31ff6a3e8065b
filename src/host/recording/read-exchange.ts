import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isCompleteJson } from '../../text/json.ts'
import { WIRES } from '../../wires/registry.ts'
import {
  type ExchangeSettings,
  parseExchangeSettings,
  parseRecordedRequest,
  REQUEST_FILE,
  type RecordedRequest,
  SETTINGS_FILE,
} from './exchange-format.ts'

/** A recorded exchange whose body is still on the disk. */
export interface StoredExchange {
  readonly name: string
  readonly settings: ExchangeSettings
  /** null: not recorded; such an exchange answers any request. */
  readonly request: RecordedRequest | null
  readonly body: () => Promise<Uint8Array>
}

const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** The reader of an exchange left before the answer came. */
class UnansweredError extends Error {
  constructor(folder: string) {
    super(`${folder}: the recording has no answer, because its reader left before it came.`)
  }
}

const NO_BYTES = new Uint8Array(0)

/** The file of the body of a folder that was written by hand, without `file` in its settings. */
const bodyFileIn = (folder: string): string | null =>
  readdirSync(folder).find((name) => /^(?:stream|body)\.\w+$/.test(name)) ?? null

/**
 * Reads the folder of one exchange. Throws an Error that names the folder and the problem if it is not complete: its
 * settings are written last.
 */
function readExchange(folder: string): StoredExchange {
  const text = textOf(join(folder, SETTINGS_FILE))
  // A full disk leaves an empty file.
  if (text === null || text === '')
    throw new Error(`${folder}: no ${SETTINGS_FILE}. The recording is not complete; record it again.`)
  const settings = parseExchangeSettings(text)
  if (settings === null) throw new Error(`${folder}: ${SETTINGS_FILE} is not a JSON object.`)
  if (settings.lost !== null) throw new Error(`${folder}: the recording is not complete: ${settings.lost}`)
  if (settings.status === null && settings.error === null) throw new UnansweredError(folder)
  const file = settings.file ?? (settings.status === null ? null : bodyFileIn(folder))
  const requestText = textOf(join(folder, REQUEST_FILE))
  return {
    name: basename(folder),
    settings: { ...settings, file },
    request: requestText === null ? null : parseRecordedRequest(requestText),
    body: file === null ? async () => NO_BYTES : () => readFile(join(folder, file)),
  }
}

const isExchange = (folder: string): boolean =>
  statSync(join(folder, SETTINGS_FILE), { throwIfNoEntry: false })?.isFile() ?? false

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** A folder that was being written when its recorder stopped. */
const isStarted = (folder: string): boolean =>
  statSync(join(folder, REQUEST_FILE), { throwIfNoEntry: false })?.isFile() ?? false

const numberOf = (name: string): number => Number(/^\d+/.exec(name)?.[0] ?? Number.POSITIVE_INFINITY)

/** `10000-acme` follows `9999-acme`. Names without a number are the last. */
function byNumber(one: string, other: string): number {
  const [left, right] = [numberOf(one), numberOf(other)]
  if (left !== right) return left < right ? -1 : 1
  return one < other ? -1 : 1
}

/** The exchanges below a folder, and the reasons why others cannot be played. */
interface StoredExchanges {
  readonly exchanges: readonly StoredExchange[]
  readonly problems: readonly string[]
  /** The names of exchanges that have no answer to play, which is no fault: a client has stopped waiting. */
  readonly unanswered: readonly string[]
}

/** Reads the exchanges of a folder in their order. `folder` may also be the folder of one exchange. Throws if it is no folder. */
export function readExchanges(folder: string): StoredExchanges {
  if (!isFolder(folder)) throw new Error(`"${folder}" is not a folder. Name one that millrace record has written.`)
  const folders = isExchange(folder)
    ? [folder]
    : readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(byNumber)
        .map((name) => join(folder, name))
        .filter((path) => isExchange(path) || isStarted(path))
  const exchanges: StoredExchange[] = []
  const problems: string[] = []
  const unanswered: string[] = []
  for (const path of folders) {
    try {
      exchanges.push(readExchange(path))
    } catch (error) {
      if (error instanceof UnansweredError) unanswered.push(basename(path))
      else problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { exchanges, problems, unanswered }
}

/** Whether the body of an exchange is a stream of its wire; else it is a whole body. */
export const isStreamOf = ({ wire, file }: ExchangeSettings, bytes: Uint8Array): boolean => {
  if (wire === null || file === null || !file.startsWith('stream.')) return false
  const start = Buffer.from(bytes.subarray(0, 256)).toString()
  const { framing } = WIRES[wire]
  if (framing.looksLike.test(start))
    return framing.format !== 'ndjson' || !isCompleteJson(Buffer.from(bytes).toString())
  return !/^\ufeff?\s*[{[]/.test(start)
}
