import type { Lease } from '../../../gateway/body/body-budget.ts'
import { BUSY } from '../../../gateway/body/body-intake.ts'
import { type Received, toRequestLimits } from '../../../gateway/body/receive-request.ts'
import type { Config } from '../../../gateway/config/config.ts'
import type { BodySource } from '../../../gateway/exchange/reply.ts'
import { runInSlices } from '../../../gateway/run-in-slices.ts'
import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { BODIES } from '../../../protocol/limits.ts'
import { err, ok, type Result } from '../../../protocol/result.ts'
import type { PathMap } from '../../../protocol/source-map.ts'
import { isObject } from '../../../text/json.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import { describeValue } from '../../../validation/messages.ts'
import { checkSize } from '../../../validation/size.ts'
import type { ClientMessage } from './client-message.ts'
import { bytesUpTo, type HistoryEntry, itemsUpTo, type ResponseHistory } from './response-history.ts'
import type { SocketEnd } from './socket-reply.ts'

interface ContinuedOptions {
  readonly history: ResponseHistory
  readonly lease: Lease
  readonly limits: Config['limits']
}

/** Values that are counted in one step. */
const STEP = 1024

/**
 * The approximate memory of a parsed JSON value, in bytes: its texts, and the values in it. Not recursive, because a
 * value may be nested deeper than the stack.
 */
function* costOfValue(value: unknown): Steps<number> {
  let cost = 0
  let count = 0
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    cost += BODIES.perValue
    count += 1
    if (typeof next === 'string') cost += next.length * BODIES.perByteKept
    else if (Array.isArray(next)) for (const one of next) rest.push(one)
    else if (typeof next === 'object' && next !== null) {
      for (const [name, inner] of Object.entries(next)) {
        cost += name.length
        rest.push(inner)
      }
    }
    if (count % STEP === 0) yield
  }
  return cost
}

/**
 * A request over a socket. It may continue an earlier response of its connection: then its input follows the input and
 * the output of that response, and nothing else of the earlier request is inherited.
 */
export class ContinuedRequest implements BodySource {
  private readonly message: ClientMessage
  private readonly options: ContinuedOptions
  private before: HistoryEntry | null = null
  /** The number of items before those of the message. */
  private inherited = 0
  /** The memory of the items of the message. */
  private cost = 0

  constructor(message: ClientMessage, options: ContinuedOptions) {
    this.message = message
    this.options = options
  }

  streamId(): string | null {
    return this.message.streamId
  }

  check(): Result<null> {
    return ok(null)
  }

  async read(): Promise<Result<Received>> {
    const { message, options } = this
    const { previous_response_id: previous, generate, ...fields } = message.fields
    if (!isSwitch(generate)) return err(NO_SWITCH)
    if (fields.stream === false) return err(NOT_STREAMED)
    if (previous !== undefined && previous !== null) {
      const found = typeof previous === 'string' ? options.history.find(previous) : undefined
      if (found === undefined) return err(notFound(previous))
      this.before = found
    }
    const body = { ...fields, input: this.wholeInput(), stream: true }
    const fault = this.outputFault() ?? checkSize(body, toRequestLimits(options.limits))
    if (fault !== null) return err(fault)
    this.cost = await runInSlices(costOfValue(fields.input))
    // The body for the upstream repeats the whole conversation.
    const earlier = this.before === null ? 0 : bytesUpTo(this.before)
    if (!options.lease.resize(message.cost + earlier)) return err(BUSY)
    return ok({
      body,
      size: message.size + earlier,
      onWritten: () => void options.lease.resize(message.keptCost + earlier),
    })
  }

  /**
   * The conversation before the message may lose at this upstream what it has not lost before: an output is an input for
   * the first time, or another vendor answers.
   */
  readonly toClientPath: PathMap = (path) => {
    const [entry = '', index] = IN_INPUT.exec(path) ?? []
    if (index === undefined || this.before === null) return path
    const at = Number(index) - this.inherited
    if (at < 0) return EARLIER + path
    const inside = path.slice(entry.length)
    return Array.isArray(this.message.fields.input) ? `input[${at}]${inside}` : 'input'
  }

  readonly toBodyPath: PathMap = (path) => {
    if (path.startsWith(EARLIER)) return path.slice(EARLIER.length)
    const [entry = '', index] = IN_INPUT.exec(path) ?? []
    if (index !== undefined) return `input[${Number(index) + this.inherited}]${path.slice(entry.length)}`
    return path === 'input' ? `input[${this.inherited}]` : path
  }

  /** Whether the model answers, or the request only prepares a later one. */
  generates(): boolean {
    return this.message.fields.generate !== false
  }

  /** The id of the response that this request continues; null if it continues none. */
  previousId(): string | null {
    const { previous_response_id: previous } = this.message.fields
    return typeof previous === 'string' ? previous : null
  }

  private wholeInput(): unknown {
    const { input } = this.message.fields
    if (this.before === null) return input === undefined && !this.generates() ? [] : input
    const earlier = itemsUpTo(this.before)
    this.inherited = earlier.length
    return [...earlier, ...toItems(input)]
  }

  /** Outputs without a call fail as far as this gateway has the conversation; else their upstream decides. */
  private outputFault(): GatewayError | null {
    return this.before === null ? null : unmatchedOutput(itemsUpTo(this.before), toItems(this.message.fields.input))
  }

  /** Keeps a response that can be continued, or drops the one that this request could not continue. */
  end(end: SocketEnd): void {
    const { history } = this.options
    if (end.status === 'failed') {
      const previous = this.previousId()
      if (previous !== null) history.drop(previous)
      return
    }
    const { id, output } = end.response
    if (typeof id !== 'string' || !Array.isArray(output)) return
    const items = [...toItems(this.message.fields.input), ...(output as readonly JsonObject[])]
    history.add(id, { before: this.before, items, bytes: this.cost + runSteps(costOfValue(output)) })
  }

  release(): void {
    this.options.lease.release()
  }
}

const toItems = (input: unknown): readonly unknown[] => {
  if (typeof input === 'string') return input === '' ? [] : [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input : []
}

const EARLIER = 'previous_response_id.'
const IN_INPUT = /^input\[(\d+)\]/

const isSwitch = (value: unknown): boolean => value === undefined || value === null || typeof value === 'boolean'

const NO_SWITCH = clientError('invalid_prompt', 'generate: expected true or false', 'generate')

const NOT_STREAMED = clientError(
  'invalid_prompt',
  'stream: expected true or no value, because a socket receives events',
  'stream',
)

const notFound = (id: unknown): GatewayError =>
  clientError(
    'previous_response_not_found',
    `previous_response_id: expected a response of this connection that can be continued, got ${describeValue(id)}. Send the whole conversation in input.`,
    'previous_response_id',
  )

/** Items that answer a call of the conversation. Calls of other types may be in the history of the vendor only. */
const OUTPUTS: ReadonlySet<unknown> = new Set(['function_call_output', 'custom_tool_call_output'])

/**
 * Returns the error of the first output in `items` that answers no call, neither of `earlier` items nor of its own; null
 * if there is none. Most vendors reject such a request, some ignore the output; the standard requires that a
 * continuation fails.
 */
export function unmatchedOutput(earlier: readonly unknown[], items: readonly unknown[]): GatewayError | null {
  if (!items.some(isOutput)) return null
  const called = new Set<unknown>()
  const note = (item: unknown): void => {
    if (isObject(item) && typeof item.call_id === 'string' && !isOutput(item)) called.add(item.call_id)
  }
  earlier.forEach(note)
  for (const [i, item] of items.entries()) {
    note(item)
    if (!isObject(item) || !isOutput(item) || typeof item.call_id !== 'string' || called.has(item.call_id)) continue
    const path = `input[${i}].call_id`
    const message = `${path}: expected the id of an earlier call in the conversation, got ${describeValue(item.call_id)}`
    return clientError('invalid_prompt', message, path)
  }
  return null
}

const isOutput = (item: unknown): boolean => isObject(item) && OUTPUTS.has(item.type)
