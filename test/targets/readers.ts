import { type AGUIEvent, type BaseEvent, HttpAgent, type Message } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import * as ai6 from 'ai'
import * as ai7 from 'ai-7'
import type { JsonObject } from '../../src/protocol/json.ts'

/** The official readers of the streams of user interfaces: of both versions of the AI SDK, and of AG-UI. */

/** A message as an interface has it at the end. */
export interface ReadMessage {
  readonly id: string
  readonly role: string
  readonly metadata?: unknown
  readonly parts: readonly JsonObject[]
}

export interface ReadUi {
  /** Null before the first chunk with a part. */
  readonly message: ReadMessage | null
  /** The texts of `error` chunks. */
  readonly errors: readonly string[]
  /** Why the reader refused the stream. */
  readonly refused: readonly string[]
  /** The data parts by their name. */
  readonly data: Readonly<Record<string, unknown>>
}

const streamOf = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}

/**
 * The chunks as `useChat` reads them: parsed, and validated by the schema of the package. `before`: the message that they
 * continue.
 */
export async function readUi(version: 6 | 7, bytes: Uint8Array, size = 1 << 20, before?: ReadMessage): Promise<ReadUi> {
  const refused: string[] = []
  const errors: string[] = []
  const onError = (error: unknown): void => {
    errors.push(error instanceof Error ? error.message : String(error))
  }
  const messages =
    version === 6
      ? readWith6(streamOf(bytes, size), refused, onError, before)
      : readWith7(streamOf(bytes, size), refused, onError, before)
  let last: ReadMessage | null = null
  for await (const message of messages) last = message as unknown as ReadMessage
  // Members without a value are not in a message that is stored.
  const message = last === null ? null : (JSON.parse(JSON.stringify(last)) as ReadMessage)
  const parts = (message?.parts ?? []) as readonly { readonly type: string; readonly data?: unknown }[]
  const data = Object.fromEntries(
    parts.flatMap(({ type, data: value }) => (type.startsWith('data-') ? [[type, value]] : [])),
  )
  return { message, errors, refused, data }
}

type OnError = (error: unknown) => void

const passing = <Chunk>(refused: string[]) =>
  new TransformStream<{ success: true; value: Chunk } | { success: false; error: unknown }, Chunk>({
    transform(result, controller) {
      if (result.success) controller.enqueue(result.value)
      else refused.push(String(result.error).slice(0, 300))
    },
  })

const readWith6 = (stream: ReadableStream<Uint8Array>, refused: string[], onError: OnError, before?: ReadMessage) => {
  const chunks = ai6.parseJsonEventStream({ stream: stream as never, schema: ai6.uiMessageChunkSchema })
  const message = before === undefined ? {} : { message: before as never }
  return ai6.readUIMessageStream({ ...message, stream: chunks.pipeThrough(passing(refused)) as never, onError })
}

const readWith7 = (stream: ReadableStream<Uint8Array>, refused: string[], onError: OnError, before?: ReadMessage) => {
  const chunks = ai7.parseJsonEventStream({ stream: stream as never, schema: ai7.uiMessageChunkSchema })
  const message = before === undefined ? {} : { message: before as never }
  return ai7.readUIMessageStream({ ...message, stream: chunks.pipeThrough(passing(refused)) as never, onError })
}

export interface ReadRun {
  readonly events: readonly AGUIEvent[]
  readonly messages: readonly Message[]
  /** The message of a failure of the run, or why the client refused it; null for a run that succeeded. */
  readonly error: string | null
  /** Events that the schemas refuse. */
  readonly refused: readonly string[]
  readonly custom: Readonly<Record<string, unknown>>
  /** The calls that wait for a result, as the client derives them. */
  readonly pending: readonly string[]
}

/** Runs the official client, which parses, validates the order of, and applies the events of a run. */
export async function readRun(response: () => Response): Promise<ReadRun> {
  const agent = new HttpAgent({ url: 'http://agent.test/run', fetch: async () => response() })
  const events: AGUIEvent[] = []
  let error: string | null = null
  const onEvent = ({ event }: { readonly event: BaseEvent }): void => {
    events.push(event as AGUIEvent)
  }
  const onRunErrorEvent = ({ event }: { readonly event: { readonly message: string } }): void => {
    error = event.message
  }
  let pending: readonly string[] = []
  const onRunFinishedEvent = (finished: object): void => {
    if ('pendingToolCallIds' in finished) pending = finished.pendingToolCallIds as readonly string[]
  }
  await agent
    .runAgent({ runId: 'run-1' }, { onEvent, onRunErrorEvent, onRunFinishedEvent })
    .catch((failure: unknown) => {
      error ??= String(failure)
    })
  const refused = events.flatMap((event) => {
    const { success, error: fault } = EventSchemas.safeParse(event)
    return success ? [] : [`${event.type}: ${fault.message}`]
  })
  const custom = Object.fromEntries(
    events.flatMap((event) => ('name' in event && 'value' in event ? [[event.name, event.value]] : [])),
  )
  return { events, messages: agent.messages, error, refused, custom, pending }
}

/** A response of a server with the bytes of a stream. */
export const answerOf = (bytes: Uint8Array, size = 1 << 20): Response =>
  new Response(streamOf(bytes, size), { headers: { 'content-type': 'text/event-stream' } })
