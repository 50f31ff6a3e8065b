import type { JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, parseJson } from '../../text/json.ts'
import { type CheckedServer, headersOf, requestUrl, spend } from './exchange.ts'
import type { RowFinding } from './findings.ts'
import { GREETING } from './request-form.ts'
import { ROW_TOKENS } from './requests.ts'
import { checkResponseStream } from './responses.ts'
import type { Row } from './row.ts'

/** The part of a WebSocket that a check uses. */
export interface CheckSocket {
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: { data?: unknown }) => void): void
}

/** Opens a WebSocket with headers, which the class of browsers cannot send. */
export type OpenCheckSocket = (url: string, headers: Readonly<Record<string, string>>) => CheckSocket

type SocketEvent = Readonly<Record<string, unknown>>

interface OpenedSocket {
  /** Sends one message; resolves with its events up to the terminal one. */
  turn(message: JsonObject): Promise<readonly SocketEvent[]>
  close(): void
}

const TERMINAL = /^(?:response\.(?:completed|incomplete|failed)|error)$/

/** Resolves with null if the server has no WebSocket at this address. */
async function openTurns(server: CheckedServer, open: OpenCheckSocket): Promise<OpenedSocket | null> {
  const url = requestUrl(server.url, '/responses').replace(/^http/, 'ws')
  const late = AbortSignal.timeout(server.timeoutMs)
  const socket = open(url, headersOf(server))
  let events: SocketEvent[] = []
  let finish: ((reason: string | null) => void) | null = null
  const opened = new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true))
    socket.addEventListener('error', () => resolve(false))
    socket.addEventListener('close', () => resolve(false))
    late.addEventListener('abort', () => resolve(false))
  })
  socket.addEventListener('message', ({ data }) => {
    const event = parseJson(typeof data === 'string' ? data : '')
    events.push(isObject(event) ? event : { type: '' })
    if (isObject(event) && isNonEmptyString(event.type) && TERMINAL.test(event.type)) finish?.(null)
  })
  socket.addEventListener('close', () => finish?.('the connection was closed before the end'))
  late.addEventListener('abort', () => finish?.('no terminal event within the time limit'))
  if (!(await opened)) {
    socket.close()
    return null
  }
  return {
    async turn(message) {
      spend(server.budget, ROW_TOKENS)
      events = []
      const failure = await new Promise<string | null>((resolve) => {
        finish = resolve
        socket.send(JSON.stringify({ type: 'response.create', ...message }))
      })
      finish = null
      if (failure !== null) throw new Error(failure)
      return events
    },
    close: () => socket.close(),
  }
}

/** The events as the stream that they would be over HTTP. */
const streamOf = (events: readonly SocketEvent[]): Uint8Array =>
  new TextEncoder().encode(
    `${events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
  )

const idOf = (events: readonly SocketEvent[]): unknown => {
  const { response } = events.at(-1) ?? {}
  return isObject(response) ? response.id : undefined
}

/** Each row: what is sent over one connection, and what is found. */
interface SocketRow {
  readonly name: string
  readonly about: string
  readonly turns: number
  check(socket: OpenedSocket, base: JsonObject): Promise<readonly RowFinding[]>
}

const checkTurn = (events: readonly SocketEvent[], form: string): readonly RowFinding[] => {
  const last = events.at(-1)
  if (last?.type === 'error')
    return [{ rule: 'socket', form, message: `a request failed: ${JSON.stringify(last.error)}` }]
  return checkResponseStream(streamOf(events)).violations.map(({ frame, rule, message }) => ({
    rule,
    form,
    message: frame === null ? message : `event ${frame}: ${message}`,
  }))
}

const SOCKET_ROWS: readonly SocketRow[] = [
  {
    name: 'websocket',
    about: 'two responses over one connection',
    turns: 2,
    async check(socket, base) {
      const first = await socket.turn(base)
      const second = await socket.turn(base)
      const same = idOf(first) === idOf(second)
      return [
        ...checkTurn(first, 'first'),
        ...checkTurn(second, 'second'),
        ...(same ? [{ rule: 'identity', form: 'second', message: 'both responses have the same id' }] : []),
      ]
    },
  },
  {
    name: 'websocket-continuation',
    about: 'a response that continues an earlier one',
    turns: 2,
    async check(socket, base) {
      const first = await socket.turn(base)
      const second = await socket.turn({ ...base, previous_response_id: idOf(first) as string })
      return [...checkTurn(first, 'first'), ...checkTurn(second, 'second')]
    },
  },
  {
    name: 'websocket-error',
    about: 'a connection that survives an error',
    turns: 2,
    async check(socket, base) {
      const [event, ...more] = await socket.turn({ ...base, previous_response_id: 'resp_unknown' })
      const error = isObject(event?.error) ? event.error : {}
      const isError = event?.type === 'error' && more.length === 0 && isNonEmptyString(error.message)
      const found = isError
        ? []
        : [{ rule: 'error', form: 'first', message: 'an unknown response is not one error event' }]
      return [...found, ...checkTurn(await socket.turn(base), 'second')]
    },
  },
]

/** Resolves with the findings; a text is the reason why nothing is shown. */
async function checkSocketRow(
  { check }: SocketRow,
  server: CheckedServer,
  base: JsonObject,
  open: OpenCheckSocket | null,
): Promise<readonly RowFinding[] | string> {
  if (open === null) return 'the check has no WebSocket'
  const socket = await openTurns(server, open)
  if (socket === null) return 'the server offers no WebSocket at this address'
  try {
    return await check(socket, base)
  } finally {
    socket.close()
  }
}

/** The rows of the Responses API over WebSocket. `open`: null if no row can be shown. */
export const socketRows = (open: OpenCheckSocket | null): readonly Row[] =>
  SOCKET_ROWS.map((row) => ({
    name: row.name,
    about: row.about,
    requests: row.turns,
    tokens: row.turns * ROW_TOKENS,
    async run(server) {
      const found = await checkSocketRow(row, server, { model: server.model, store: false, ...GREETING }, open)
      return typeof found === 'string' ? { findings: [], reason: found } : { findings: found, reason: null }
    },
  }))
