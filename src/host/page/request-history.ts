import type { Key } from '../../gateway/auth/auth.ts'
import type { RequestHistory } from '../../gateway/telemetry/request-history.ts'
import { createRequestRecord, type RequestRecord, shownText } from '../../gateway/telemetry/request-record.ts'
import { upstreamName } from '../../gateway/upstream/upstream-guard.ts'
import { type AttemptEntry, KEPT_REQUESTS, type RequestEntry } from '../../page-api/request-entry.ts'

/** The last requests of a server, in memory. A list that the page shows never contains more. */
export interface ShownHistory extends RequestHistory {
  /** The requests that this key may see, the oldest first. `since`: only changes of these requests. */
  list(viewer: Key, since?: ReadonlySet<string>): readonly RequestEntry[]
  /** Calls the listener with the id of each request that begins or ends. Returns the function that removes it. */
  watch(listener: (id: string) => void): () => void
  /** The ids of requests that have not ended. */
  running(): readonly string[]
}

/** A request that runs, or what is shown of one that has ended. The latter keeps nothing of its exchange alive. */
type Kept =
  | { readonly record: RequestRecord; readonly ended: null }
  | { readonly key: Key | null; readonly ended: RequestEntry }

/** Characters of the texts of all requests together. The oldest texts beyond it are dropped. */
const KEPT_CHARACTERS = 2 * 1024 * 1024

/** `clock`: milliseconds since 1970. `content`: whether the texts of requests and answers are kept. */
export function createRequestHistory(content: boolean, clock: () => number): ShownHistory {
  const kept = new Map<string, Kept>()
  const listeners = new Set<(id: string) => void>()
  const note = (id: string): void => {
    for (const listener of listeners) listener(id)
  }
  let count = 0
  let characters = 0
  const dropOldest = (): void => {
    const [oldest] = kept
    if (oldest === undefined) return
    characters -= charactersOf(oldest[1])
    kept.delete(oldest[0])
  }
  /** Every request that ends gets here, so that it looks at others only if there are too many texts. */
  const dropTexts = (): void => {
    if (characters <= KEPT_CHARACTERS) return
    for (const [id, one] of kept) {
      if (characters <= KEPT_CHARACTERS) return
      if (one.ended === null) continue
      characters -= charactersOf(one)
      kept.set(id, { ...one, ended: { ...one.ended, content: null } })
    }
  }
  return {
    begin(context) {
      count += 1
      // Clients choose the ids of their requests, and may choose one twice.
      const id = kept.has(context.id) ? `${context.id}#${count}` : context.id
      const record = createRequestRecord({ id, entry: context.entry }, clock(), content)
      kept.set(id, { record, ended: null })
      if (kept.size > KEPT_REQUESTS) dropOldest()
      note(id)
      return record
    },
    end(record) {
      const { id, key } = record
      if (!kept.has(id)) return
      const over: Kept = { key, ended: toEntry(record, false) }
      kept.set(id, over)
      characters += charactersOf(over)
      dropTexts()
      note(id)
    },
    list(viewer, since) {
      const chosen = since === undefined ? [...kept.values()] : [...since].flatMap((id) => kept.get(id) ?? [])
      return chosen
        .filter((one) => maySee(viewer, one.ended === null ? one.record.key : one.key))
        .map((one) => one.ended ?? toEntry(one.record, true))
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    running: () => [...kept].flatMap(([id, { ended }]) => (ended === null ? [id] : [])),
  }
}

/**
 * The key of a development server belongs to its user, and a management key to the operator. Any other key sees its own
 * requests.
 */
const maySee = (viewer: Key, owner: Key | null): boolean =>
  viewer.isDevelopment || viewer.kind === 'management' || viewer.id === owner?.id

const charactersOf = ({ ended }: Kept): number => {
  const text = ended?.content ?? null
  return text === null ? 0 : text.request.length + (text.answer?.length ?? 0)
}

const LONGEST_WORD = 256
const MOST_LOSSES = 64
const MOST_ATTEMPTS = 64

const clip = (word: string | null): string | null => word?.slice(0, LONGEST_WORD) ?? null
const clipAll = (words: readonly string[]): readonly string[] =>
  words.slice(0, MOST_LOSSES).map((word) => word.slice(0, LONGEST_WORD))

function toEntry(record: RequestRecord, running: boolean): RequestEntry {
  const { entry } = record
  return {
    id: record.id,
    time: record.startedAt,
    running,
    key: entry.key,
    method: entry.method,
    path: entry.path ?? '',
    client: record.client,
    dialect: entry.dialect === record.client ? null : entry.dialect,
    model: clip(record.model),
    vendor: entry.vendor,
    upstreamModel: clip(entry.model),
    wire: record.wire,
    edits: entry.edits === null ? null : clipAll(entry.edits),
    learned: clipAll(entry.learned ?? []),
    stream: entry.stream,
    status: entry.status,
    attempts: toAttempts(record, running),
    losses: clipAll(entry.losses),
    upstreamMs: entry.upstream_ms,
    firstByteMs: entry.first_byte_ms,
    firstTokenMs: entry.first_token_ms,
    durationMs: entry.duration_ms,
    usage: entry.usage,
    ending: entry.outcome,
    error: entry.error,
    party: entry.party,
    clientGone: entry.client_gone,
    content: shownText(record),
  }
}

/** The attempts of the log entry with their times, and the one that is being made. */
function toAttempts({ entry, calls }: RequestRecord, running: boolean): readonly AttemptEntry[] {
  const times = [...calls]
  const over = entry.attempts.map(({ model, error, isSkipped, ...place }): AttemptEntry => {
    const { startMs = null, endMs = null } = (isSkipped ? undefined : times.shift()) ?? {}
    const name = model.slice(0, LONGEST_WORD)
    return {
      vendor: upstreamName(place),
      model: name,
      error,
      skipped: isSkipped,
      startMs,
      endMs: earlier(endMs, entry.duration_ms),
    }
  })
  const [current] = times
  const { vendor, member, model } = entry
  if (!running || current === undefined || vendor === null || model === null) return over.slice(0, MOST_ATTEMPTS)
  const now = {
    vendor: upstreamName({ vendor, member }),
    model: model.slice(0, LONGEST_WORD),
    error: null,
    skipped: false,
    ...current,
  }
  return [...over, now].slice(-MOST_ATTEMPTS)
}

/** The connection to the upstream may be closed a moment after the client has its whole answer. */
const earlier = (endMs: number | null, durationMs: number | null): number | null =>
  endMs === null || durationMs === null ? endMs : Math.min(endMs, durationMs)
