import { clientError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { err, ok, type Result } from '../../../protocol/result.ts'
import { describeValue } from '../../../validation/messages.ts'
import { checkSize } from '../../../validation/size.ts'
import type { Config } from '../../config/config.ts'
import type { Lease } from '../body/body-budget.ts'
import { LARGE, type Received, toRequestLimits } from '../body/receive-request.ts'
import type { BodySource } from '../reply.ts'
import type { ClientMessage } from './client-message.ts'
import { bytesUpTo, type HistoryEntry, itemsUpTo, type ResponseHistory } from './response-history.ts'
import type { SocketEnd } from './socket-reply.ts'

interface ContinuedOptions {
  readonly history: ResponseHistory
  readonly lease: Lease
  readonly limits: Config['limits']
}

/**
 * A request over a socket. It may continue an earlier response of its connection: then its input follows the input and
 * the output of that response, and nothing else of the earlier request is inherited.
 */
export class ContinuedRequest implements BodySource {
  private readonly message: ClientMessage
  private readonly options: ContinuedOptions
  private before: HistoryEntry | null = null

  constructor(message: ClientMessage, options: ContinuedOptions) {
    this.message = message
    this.options = options
  }

  /** The lane of the request. */
  streamId(): string | null {
    return this.message.streamId
  }

  check(): Result<null> {
    return ok(null)
  }

  async read(): Promise<Result<Received>> {
    const { message, options } = this
    const { previous_response_id: previous, generate: _, ...fields } = message.fields
    if (fields.stream === false) return err(NOT_STREAMED)
    if (previous !== undefined && previous !== null) {
      const found = typeof previous === 'string' ? options.history.find(previous) : undefined
      if (found === undefined) return err(notFound(previous))
      this.before = found
    }
    const input = this.before === null ? fields.input : [...itemsUpTo(this.before), ...toItems(fields.input)]
    const body = { ...fields, input, stream: true }
    const fault = checkSize(body, toRequestLimits(options.limits))
    if (fault !== null) return err(fault)
    const size = message.size + (this.before === null ? 0 : bytesUpTo(this.before))
    return ok({ body, isLarge: size > LARGE, onWritten: () => void options.lease.resize(message.keptCost) })
  }

  /** Keeps a response that can be continued, or drops the one that this request could not continue. */
  end(end: SocketEnd): void {
    const { history } = this.options
    const { previous_response_id: previous, input } = this.message.fields
    if (end.status === 'failed') {
      if (typeof previous === 'string') history.drop(previous)
      return
    }
    const { id, output } = end.response
    if (typeof id !== 'string' || !Array.isArray(output)) return
    const items = [...toItems(input), ...(output as readonly JsonObject[])]
    history.add(id, { before: this.before, items, bytes: this.message.size + end.bytes })
  }

  release(): void {
    this.options.lease.release()
  }
}

const toItems = (input: unknown): readonly unknown[] => {
  if (typeof input === 'string') return input === '' ? [] : [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input : []
}

const NOT_STREAMED = clientError(
  'invalid_prompt',
  'stream: expected true or no value, because a socket receives events',
  'stream',
)

const notFound = (id: unknown) =>
  clientError(
    'previous_response_not_found',
    `previous_response_id: expected a response of this connection that can be continued, got ${describeValue(id)}. Send the whole conversation in input.`,
    'previous_response_id',
  )
