import type { Key } from '../../gateway/auth/auth.ts'
import { type Summary, summaryOf } from '../../gateway/exchange/journal.ts'
import { type KeptForPage, noContent, type RequestHistory, shownText } from '../../gateway/exchange/kept-texts.ts'
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
  | { readonly open: KeptForPage; readonly ended: null }
  | { readonly owner: string | null; readonly ended: RequestEntry }

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
    begin({ id: given, journal }) {
      count += 1
      // Clients choose the ids of their requests, and may choose one twice.
      const id = kept.has(given) ? `${given}#${count}` : given
      const open = { id, startedAt: clock(), journal, content: content ? noContent() : null }
      kept.set(id, { open, ended: null })
      if (kept.size > KEPT_REQUESTS) dropOldest()
      note(id)
      return open
    },
    end(open, exchange) {
      const { id } = open
      if (!kept.has(id)) return
      const over: Kept = { owner: exchange.owner, ended: toRow(open, exchange, false) }
      kept.set(id, over)
      characters += charactersOf(over)
      dropTexts()
      note(id)
    },
    list(viewer, since) {
      const chosen = since === undefined ? [...kept.values()] : [...since].flatMap((id) => kept.get(id) ?? [])
      return chosen.flatMap((one) => {
        if (one.ended !== null) return maySee(viewer, one.owner) ? one.ended : []
        const exchange = summaryOf(one.open.journal)
        return maySee(viewer, exchange.owner) ? toRow(one.open, exchange, true) : []
      })
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
const maySee = (viewer: Key, owner: string | null): boolean =>
  viewer.isDevelopment || viewer.kind === 'management' || viewer.id === owner

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

/** The row of an exchange so far, or of one that has ended. */
function toRow(kept: KeptForPage, exchange: Summary, running: boolean): RequestEntry {
  const { dialect, client, edits } = exchange
  return {
    id: kept.id,
    time: kept.startedAt,
    running,
    key: exchange.key,
    method: exchange.method,
    path: exchange.path ?? exchange.unknown_path ?? '',
    client,
    dialect: dialect === client ? null : dialect,
    model: clip(exchange.askedModel),
    vendor: exchange.vendor,
    upstreamModel: clip(exchange.model),
    wire: exchange.wire,
    edits: edits === null ? null : clipAll(edits),
    learned: clipAll(exchange.learned ?? []),
    stream: exchange.stream,
    status: exchange.status,
    attempts: toAttempts(exchange, running, kept.content !== null),
    losses: clipAll(exchange.losses),
    upstreamMs: exchange.upstream_ms,
    firstByteMs: exchange.first_byte_ms,
    firstTokenMs: exchange.first_token_ms,
    durationMs: exchange.duration_ms,
    usage: exchange.usage,
    ending: exchange.outcome,
    error: exchange.error,
    party: exchange.party,
    clientGone: exchange.client_gone,
    content: shownText(kept),
  }
}

/** The attempts that are over, and the one that is being made. */
function toAttempts(exchange: Summary, running: boolean, hasContent: boolean): readonly AttemptEntry[] {
  const { attempts, calledMs, duration_ms, vendor, member, model } = exchange
  const over = attempts.map(
    ({ model, error, isSkipped, startMs, endMs, message, ...place }): AttemptEntry => ({
      vendor: upstreamName(place),
      model: model.slice(0, LONGEST_WORD),
      error,
      message: hasContent ? message : null,
      skipped: isSkipped,
      startMs,
      endMs: earlier(endMs, duration_ms),
    }),
  )
  if (!running || calledMs === null || vendor === null || model === null) return over.slice(0, MOST_ATTEMPTS)
  const current: AttemptEntry = {
    vendor: upstreamName({ vendor, member }),
    model: model.slice(0, LONGEST_WORD),
    error: null,
    message: null,
    skipped: false,
    startMs: calledMs,
    endMs: null,
  }
  return [...over, current].slice(-MOST_ATTEMPTS)
}

/** The connection to the upstream may be closed a moment after the client has its whole answer. */
const earlier = (endMs: number | null, durationMs: number | null): number | null =>
  endMs === null || durationMs === null ? endMs : Math.min(endMs, durationMs)
