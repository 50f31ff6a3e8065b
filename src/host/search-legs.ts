import { FRAMINGS } from '../framing/table.ts'
import { decodeText } from '../hearing.ts'
import { listen } from '../legs.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Request } from '../protocol/request.ts'
import { sealReasoning } from '../responses/envelope.ts'
import { SHOWN_RESULTS } from '../search/earlier.ts'
import { type LoopState, searchLoop } from '../search/loop.ts'
import type { LoopHeard, LoopSaid, LoopSettings } from '../search/plot.ts'
import type { Attempt } from './attempt.ts'
import type { SearchConfig } from './config.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { gather } from './gather.ts'
import { noteMoreLosses } from './losses.ts'
import { openAnswer } from './open-answer.ts'
import type { Prepared } from './prepare.ts'
import { sendError } from './reply.ts'
import { type Audience, openAudience } from './search-audience.ts'
import type { SearchPlan } from './search-plan.ts'
import { byFirstBytes, isStream } from './sniff.ts'
import type { Answer, Reader } from './source.ts'
import { wholeBody } from './whole.ts'

/**
 * Asks the upstream, leg by leg, and searches the web between them. Resolves with null when the client has been answered,
 * else with the reason why it was not.
 */
export async function attemptWithSearch(
  gateway: Gateway,
  prepared: Prepared,
  exchange: Exchange,
): Promise<GatewayError | null> {
  const { search: plan } = prepared
  if (plan === null) throw new Error('there is no search to be made')
  const opened = await openAnswer(prepared, exchange.signal, gateway.config.timeouts)
  exchange.entry.upstream_ms = exchange.elapsed()
  return opened.ok ? openLoop(gateway, prepared, plan, exchange).run(opened.value) : opened.error
}

function settingsOf({ request, options }: Prepared, plan: SearchPlan, { citations }: SearchConfig): LoopSettings {
  const { head, origin, sign } = options
  return {
    request,
    tool: plan.tool,
    head,
    seal: (payload) => sealReasoning(origin, payload, sign),
    style: citations,
    sources: plan.sources,
    showResults: request.include.includes(SHOWN_RESULTS),
    maxSearches: plan.maxSearches,
    maxResults: plan.query.maxResults,
    maxTotalResults: plan.options.maxTotalResults,
  }
}

type Order<K extends LoopSaid['kind']> = Extract<LoopSaid, { readonly kind: K }>

const isOrder = (said: LoopSaid): said is Order<'search' | 'ask' | 'over'> =>
  said.kind === 'search' || said.kind === 'ask' || said.kind === 'over'

/** The loop's machine, and all that it wants done. */
function openLoop(gateway: Gateway, prepared: Prepared, plan: SearchPlan, exchange: Exchange) {
  const { keep_alive_seconds, search: config } = gateway.config
  const machine = searchLoop(settingsOf(prepared, plan, config))
  let state: LoopState = machine.initial
  let open: Answer | null = null
  let full = false
  let chunks = 0

  const audience: Audience = openAudience(prepared, exchange, {
    keepAliveMs: keep_alive_seconds * 1000,
    onFull: () => {
      full = true
      open?.pause()
    },
    onDrain: () => {
      full = false
      open?.resume()
    },
  })

  /** Tells the machine, tells the client what it says to it, and gives back what is to be done. */
  const hear = (...heard: readonly LoopHeard[]): readonly Order<'search' | 'ask' | 'over'>[] => {
    const orders: Order<'search' | 'ask' | 'over'>[] = []
    const deltas: Delta[] = []
    for (const one of heard) {
      const step = machine.step(state, one)
      state = step.state
      for (const said of step.events) {
        if (isOrder(said)) orders.push(said)
        else deltas.push(said)
      }
    }
    if (deltas.length > 0) audience.tell(deltas)
    return orders
  }

  const search = async ({ key, query, maxResults }: Order<'search'>): Promise<Request | null> => {
    const answer = await gateway.search.find(plan.engine, { ...plan.query, query, maxResults }, exchange.signal)
    return exchange.signal.aborted ? null : askedIn(hear({ kind: 'found', key, answer }))
  }

  /** The end of a leg: the searches it asked for, all at once; then what the next leg is asked, if there is one. */
  const goOn = async (): Promise<Request | null> => {
    const orders = hear({ kind: 'leg ended' })
    const searches = orders.flatMap((order) => (order.kind === 'search' ? [search(order)] : []))
    const asked = await Promise.all(searches)
    return asked.find((request) => request !== null) ?? askedIn(orders)
  }

  const openNext = async (request: Request): Promise<Attempt<Answer>> => {
    const next = prepared.asking(request)
    if (!next.ok) return next
    noteMoreLosses(exchange, next.value.losses)
    return openAnswer(next.value, exchange.signal, gateway.config.timeouts)
  }

  const listenTo = (answer: Answer): Promise<void> =>
    new Promise((resolve, reject) => {
      open = answer
      const onBug = (error: unknown): void => {
        answer.abort()
        reject(error)
      }
      const done = (count: number): void => {
        chunks += count
        resolve()
      }
      const reader = legReader(prepared, answer, (deltas) => void hear(...deltas), done)
      answer.read(gather(reader, onBug))
      if (full) answer.pause()
    })

  return {
    async run(first: Answer): Promise<GatewayError | null> {
      let answer = first
      let legs = 1
      for (; ; legs += 1) {
        await listenTo(answer)
        open = null
        const request = exchange.signal.aborted ? null : await goOn()
        if (request === null) break
        const opened = await openNext(request)
        if (!opened.ok) {
          hear({ kind: 'error', error: opened.error }, { kind: 'leg ended' })
          break
        }
        answer = opened.value
      }
      const { reason } = exchange.signal
      if (reason !== null) audience.tell([{ kind: 'cut', error: reason }])
      const error = audience.end(chunks)
      // What was searched is not searched again: only a first leg is worth another try.
      if (error === null || legs === 1) return error
      sendError(exchange, error)
      return null
    },
  }
}

const askedIn = (orders: readonly Order<'search' | 'ask' | 'over'>[]): Request | null =>
  orders.find((order) => order.kind === 'ask')?.request ?? null

/** One leg's body, streamed or whole, as deltas. `done` is called once, with the number of its messages. */
function legReader(
  { options }: Prepared,
  answer: Answer,
  hear: (deltas: readonly Delta[]) => void,
  done: (chunks: number) => void,
): Reader {
  const events = (): Reader => streamReader(options, answer, hear, done)
  const body = (): Reader =>
    wholeBody(answer, options.wholeLimits, (text) => {
      hear(text.ok ? decodeText(options, text.value) : [{ kind: 'error', error: text.error }])
      done(1)
    })
  const framing = FRAMINGS[options.wire.framing]
  return byFirstBytes(framing, isStream(answer.headers['content-type'], framing), events, body)
}

function streamReader(
  options: Prepared['options'],
  answer: Answer,
  hear: (deltas: readonly Delta[]) => void,
  done: (chunks: number) => void,
): Reader {
  const listening = listen(options)
  return {
    bytes(chunk) {
      if (listening.over()) return
      hear(listening.receive(chunk))
      if (!listening.over()) return
      // A limit was passed.
      answer.abort()
      done(listening.chunks())
    },
    end: () => {
      if (listening.over()) return
      hear(listening.end())
      done(listening.chunks())
    },
    fail: (error) => {
      if (listening.over()) return
      hear(listening.fail(error))
      done(listening.chunks())
    },
  }
}
