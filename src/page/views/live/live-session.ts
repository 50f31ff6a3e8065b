import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { createLiveReader, type LiveReader } from './answer/answer-reader.ts'
import { AnswerRecord } from './answer/answer-record.ts'
import type { LiveProtocol } from './answer/protocols.ts'

/** A request as this view sends it. */
export interface LiveRequest {
  readonly protocol: LiveProtocol
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly model: string
}

/** The HTTP answer, as far as its head has arrived. */
export interface AnswerHead {
  readonly status: number
  readonly contentType: string
  /** Paths and actions of what could not be carried to the upstream; empty if there is none. */
  readonly losses: string
}

export type LivePhase = 'idle' | 'waiting' | 'streaming' | 'over'

/** A problem that is no part of the answer: the request was not sent, or refused. */
export interface LiveProblem {
  readonly title: string
  readonly message: string
}

/** Sends a request to the own server; adds the user's key. */
export type SendRequest = (path: string, init: RequestInit) => Promise<Response>

/** Bytes and time that are read before the browser may draw: a burst must not hold back its frames. */
const SLICE_BYTES = 8 * 1024
const SLICE_MS = 6

/** Lets the browser draw and react before the work goes on. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })

/** One exchange with the server: it reads the answer into a record, and calls its listener once for each drawn frame. */
export class LiveSession {
  readonly record = new AnswerRecord()
  readonly request: LiveRequest
  phase: LivePhase = 'waiting'
  head: AnswerHead | null = null
  problem: LiveProblem | null = null
  private readonly control = new AbortController()
  private readonly changed: () => void
  private readonly began = performance.now()

  /** `changed` is called after each addition. */
  constructor(request: LiveRequest, changed: () => void) {
    this.request = request
    this.changed = changed
  }

  /** Milliseconds since the request was sent. */
  elapsed(): number {
    return performance.now() - this.began
  }

  /** Sends the request and reads its answer to the end. */
  async run(send: SendRequest): Promise<void> {
    const { path, body, headers, protocol, model } = this.request
    try {
      const response = await send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: this.control.signal,
      })
      const contentType = response.headers.get('content-type') ?? ''
      this.head = { status: response.status, contentType, losses: response.headers.get('x-responses-losses') ?? '' }
      this.phase = 'streaming'
      this.changed()
      const reader = createLiveReader(protocol, model)
      if (!response.ok) await this.readFailure(response)
      else if (contentType.startsWith('application/json')) await this.readBody(response, reader)
      else await this.readStream(response, reader)
    } catch (error) {
      if (!this.control.signal.aborted) this.problem = { title: 'The connection failed', message: String(error) }
    }
    this.record.close(this.elapsed(), this.control.signal.aborted)
    this.phase = 'over'
    this.changed()
  }

  stop(): void {
    this.control.abort()
  }

  private async readStream({ body }: Response, reader: LiveReader): Promise<void> {
    if (body === null) return
    const stream = body.getReader()
    let drawn = performance.now()
    for (let read = await stream.read(); !read.done; read = await stream.read()) {
      const time = this.elapsed()
      this.record.addBytes(read.value.length, time)
      for (let at = 0; at < read.value.length; at += SLICE_BYTES) {
        this.record.addFrames(reader.push(read.value.subarray(at, at + SLICE_BYTES)), time)
        this.changed()
        if (performance.now() - drawn < SLICE_MS) continue
        await nextTask()
        drawn = performance.now()
      }
    }
    this.record.addFrames(reader.end(), this.elapsed())
  }

  private async readBody(response: Response, reader: LiveReader): Promise<void> {
    const text = await response.text()
    const time = this.elapsed()
    this.record.addBytes(new TextEncoder().encode(text).length, time)
    this.record.addFrames(reader.readBody(text), time)
  }

  private async readFailure(response: Response): Promise<void> {
    const text = await response.text()
    const time = this.elapsed()
    this.record.addBytes(new TextEncoder().encode(text).length, time)
    this.record.addFrames([{ frame: { event: '', data: text }, events: [] }], time)
    const code = codeIn(text)
    const title = `The server answered with status ${response.status}${code === null ? '' : ` (${code})`}`
    this.problem = { title, message: messageIn(text) }
  }
}

/** The message of a failure in the error format of any protocol; the text itself if there is none. */
function messageIn(text: string): string {
  const body = parseJson(text)
  const fields = isObject(body) ? body : {}
  const { error } = fields
  const candidates = [isObject(error) ? error.message : error, fields.message]
  return candidates.find(isNonEmptyString) ?? text
}

/** The code of a failure, or its type, in the error format of any protocol; null if there is neither. */
function codeIn(text: string): string | null {
  const body = parseJson(text)
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  return [error.code, error.status, error.type].find(isNonEmptyString) ?? null
}
