import type { Outcome } from '../engine/outcome.ts'
import type { GatewayError } from '../protocol/error.ts'
import { frontEndError } from '../targets/front-end.ts'
import { parseJson } from '../text/json.ts'

/** The AI SDK recognizes its errors by these marks, whichever copy of its package made them. */
const MARKS = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'] as const

/** An error of a call as the AI SDK has it: its packages recognize it, and calls that may succeed later are retried. */
export class ModelCallError extends Error {
  override readonly name = 'AI_APICallError'
  readonly url: string
  readonly requestBodyValues: unknown
  readonly statusCode: number | undefined
  readonly responseHeaders: Record<string, string>
  readonly responseBody: string | undefined
  readonly isRetryable: boolean
  readonly data: unknown

  constructor(request: { readonly url: string; readonly body: unknown }, error: GatewayError, outcome: Outcome | null) {
    super(error.message, outcome?.cause === undefined ? {} : { cause: outcome.cause })
    const { status = null, text = null, headers = {} } = outcome?.upstream ?? {}
    const isRefused = status !== null && status >= 400
    this.url = request.url
    this.requestBodyValues = request.body
    this.statusCode = isRefused ? status : error.status
    this.responseHeaders = error.retryAfter === null ? headers : { 'retry-after': `${error.retryAfter}`, ...headers }
    this.responseBody = text ?? undefined
    // A refused key is a failure of this server for its clients, and for its program no status that changes.
    this.isRetryable = error.party !== 'client' && isTemporary(this.statusCode)
    this.data = parseJson(text ?? '') ?? frontEndError(error).body
    for (const mark of MARKS) Object.defineProperty(this, Symbol.for(mark), { value: true })
  }
}

const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429])

const isTemporary = (status: number): boolean => TEMPORARY.has(status) || status >= 500
