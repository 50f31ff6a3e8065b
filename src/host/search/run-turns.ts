import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Request } from '../../protocol/request.ts'
import type { Result } from '../../protocol/result.ts'
import { sealReasoning } from '../../responses/encrypted-content.ts'
import { type SearchLoopState, searchLoop } from '../../search/loop/loop.ts'
import type { LoopInput, LoopOutput, LoopSettings } from '../../search/loop/state.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { SHOWN_RESULTS } from '../../search/replay-searches.ts'
import type { SearchConfig } from '../config/config.ts'
import type { Gateway } from '../gateway.ts'
import { noteMoreLosses } from '../server/endpoints/loss-header.ts'
import { encodeCall, type Prepared } from '../server/endpoints/prepare-request.ts'
import type { RequestContext } from '../server/request-context.ts'
import { sendError } from '../server/send.ts'
import { batchReads } from '../upstream/batch-reads.ts'
import { requestAnswer } from '../upstream/open-answer.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'
import { Slices } from '../upstream/work-slices.ts'
import { createResponseSink, type ResponseSink } from './response.ts'
import { createTurnReader, type TurnReader } from './turn-reader.ts'

/**
 * Calls the upstream turn by turn, and searches the web between the turns. Resolves with null when the client has its
 * answer, else with the reason why it has none.
 */
export async function callWithSearch(
  gateway: Gateway,
  prepared: Prepared,
  context: RequestContext,
): Promise<GatewayError | null> {
  const { search: plan } = prepared
  if (plan === null) throw new Error('the request has no search plan')
  const opened = await requestAnswer(prepared, context.signal, gateway.config.timeouts)
  context.entry.upstream_ms = context.elapsed()
  return opened.ok ? createLoop(gateway, prepared, plan, context).run(opened.value) : opened.error
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

type Command<K extends LoopOutput['kind']> = Extract<LoopOutput, { readonly kind: K }>

type Ordered = Command<'search' | 'request' | 'over'>

const isOrder = (output: LoopOutput): output is Ordered =>
  output.kind === 'search' || output.kind === 'request' || output.kind === 'over'

/** Runs the machine of the search loop, and executes its commands. */
function createLoop(gateway: Gateway, prepared: Prepared, plan: SearchPlan, context: RequestContext) {
  const { keep_alive_seconds, search: config } = gateway.config
  const machine = searchLoop(settingsOf(prepared, plan, config))
  let state: SearchLoopState = machine.initial
  let open: UpstreamResponse | null = null
  let turnReader: TurnReader | null = null
  let chunks = 0
  let fail: (bug: unknown) => void = () => undefined

  const onBug = (bug: unknown): void => {
    open?.abort()
    fail(bug)
  }
  const sink: ResponseSink = createResponseSink(prepared, context, {
    keepAliveMs: keep_alive_seconds * 1000,
    onFull: () => slices.hold(),
    onDrain: () => slices.release(),
  })
  const slices = new Slices<void>({
    work: {
      busy: () => sink.busy() || turnReader?.busy() === true,
      resume: () => (sink.busy() ? sink.resume() : turnReader?.resume()),
    },
    answer: { pause: () => open?.pause(), resume: () => open?.resume() },
    take: () => undefined,
    onBug,
  })
  context.response.on('close', slices.free)

  /** Steps the machine, writes its deltas for the client, and returns its commands. */
  const apply = (inputs: readonly LoopInput[], write: (deltas: readonly Delta[]) => void): readonly Ordered[] => {
    const orders: Ordered[] = []
    const deltas: Delta[] = []
    for (const one of inputs) {
      const step = machine.step(state, one)
      state = step.state
      for (const output of step.events) {
        if (isOrder(output)) orders.push(output)
        else deltas.push(output)
      }
    }
    if (deltas.length > 0) write(deltas)
    return orders
  }
  /** Writes the deltas after all pending work. */
  const writeLater = (deltas: readonly Delta[]): void => slices.run(() => sink.write(deltas))

  const search = async ({ key, query, maxResults }: Command<'search'>): Promise<Request | null> => {
    const answer = await gateway.search.find(plan.engine, { ...plan.query, query, maxResults }, context.signal)
    return context.signal.aborted ? null : requestIn(apply([{ kind: 'found', key, answer }], writeLater))
  }

  /** Ends a turn: runs all its searches in parallel, and returns the request of the next turn, if there is one. */
  const endTurn = async (): Promise<Request | null> => {
    const orders = apply([{ kind: 'turn ended' }], writeLater)
    const searches = orders.flatMap((order) => (order.kind === 'search' ? [search(order)] : []))
    const requests = await Promise.all(searches)
    return requests.find((request) => request !== null) ?? requestIn(orders)
  }

  const openNext = async (request: Request): Promise<Result<UpstreamResponse>> => {
    const next = await encodeCall(prepared, request)
    if (!next.ok) return next
    noteMoreLosses(context, next.value.losses)
    return requestAnswer(next.value, context.signal, gateway.config.timeouts)
  }

  const readTurn = (answer: UpstreamResponse): Promise<void> =>
    new Promise((resolve) => {
      open = answer
      const done = (count: number): void => {
        chunks += count
        open = null
        turnReader = null
        resolve()
      }
      const next = createTurnReader({
        prepared,
        answer,
        slices,
        onDeltas: (deltas) => void apply(deltas, sink.write),
        wantsDeltas: () => !sink.over(),
        done,
      })
      turnReader = next
      answer.read(batchReads(next.reader, onBug))
      // The next answer is paused while search results are written, and while the client is behind.
      slices.settle()
    })

  const run = async (first: UpstreamResponse): Promise<GatewayError | null> => {
    let answer = first
    let turns = 1
    for (; ; turns += 1) {
      await readTurn(answer)
      const isOver = context.signal.aborted || sink.over()
      const request = isOver ? null : await endTurn()
      if (request === null) break
      const opened = await openNext(request)
      if (!opened.ok) {
        apply([{ kind: 'error', error: opened.error }, { kind: 'turn ended' }], writeLater)
        break
      }
      answer = opened.value
    }
    const { reason } = context.signal
    if (reason !== null) writeLater([{ kind: 'cut', error: reason }])
    slices.run(() => sink.close())
    await new Promise<void>((resolve) => slices.run(resolve))
    slices.stop()
    const error = await sink.finish(chunks)
    // Searches are not repeated: a request is retried only if its first turn failed.
    if (error === null || turns === 1) return error
    sendError(context, error)
    return null
  }

  return {
    run: (first: UpstreamResponse): Promise<GatewayError | null> =>
      new Promise((resolve, reject) => {
        fail = reject
        run(first).then(resolve, reject)
      }),
  }
}

const requestIn = (orders: readonly Ordered[]): Request | null =>
  orders.find((order) => order.kind === 'request')?.request ?? null
