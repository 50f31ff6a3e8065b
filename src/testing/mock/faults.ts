import type { JsonRecord } from '../../protocol/json.ts'
import { isObject, toArray } from '../../text/json.ts'
import {
  afterLast,
  atPath,
  bytesBefore,
  changeFirst,
  changeLast,
  dropMember,
  type Edit,
  editFirst,
  editLast,
  type FrameTest,
  firstHalf,
  frameTwice,
  hasObject,
  isDoneFrame,
  isNamed,
  type MockFault,
  type MockFrame,
  objectOf,
  otherText,
  plusOne,
  withFrameValue,
  withoutFrame,
} from './fault-edits.ts'
import { LOSS_FAULTS } from './loss-faults.ts'

/** Defects of servers, each as a transformation of an answer that is right. */

// ---------------------------------------------------------------- Responses

const GREETING = { wire: 'openai-responses', row: 'text' } as const
const CALL = { wire: 'openai-responses', row: 'tool' } as const
const CITED = { wire: 'openai-responses', row: 'citations' } as const
const COMPLETED = isNamed('response.completed')
const TEXT_DELTA = isNamed('response.output_text.delta')

/** The offsets of citations in bytes, in their event, in the part and in the item. */
const inBytes = (value: unknown, text: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => inBytes(one, text))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    (name === 'start_index' || name === 'end_index') && typeof inner === 'number'
      ? bytesBefore(text, inner)
      : inBytes(inner, text),
  ])
  return Object.fromEntries(entries)
}

/** The text of an answer, which its last event or its chunks have. */
const textIn = (frames: readonly MockFrame[]): string => {
  const whole = frames.map((frame) => objectOf(frame)).find(({ type }) => type === 'response.output_text.done')?.text
  if (typeof whole === 'string') return whole
  return frames
    .map((frame) => {
      const [choice] = toArray(objectOf(frame).choices)
      const delta = isObject(choice) && isObject(choice.delta) ? choice.delta.content : ''
      return typeof delta === 'string' ? delta : ''
    })
    .join('')
}

const byteOffsets: Edit = (frames) => {
  const text = textIn(frames)
  return frames.map((frame) =>
    frame.data === '[DONE]' ? frame : withFrameValue(frame, inBytes(objectOf(frame), text)),
  )
}

const LATE_ERROR: MockFrame = {
  event: 'error',
  data: JSON.stringify({
    type: 'error',
    code: 'server_error',
    message: 'Something failed.',
    param: null,
    sequence_number: 99,
  }),
}

const RESPONSES_FAULTS = {
  'wrong-output-index': {
    ...GREETING,
    about: 'an item begins with another index',
    rule: 'index',
    frames: changeFirst(isNamed('response.output_item.added'), atPath(['output_index'], plusOne)),
  },
  'wrong-content-index': {
    ...GREETING,
    about: 'a part begins with another index',
    rule: 'index',
    frames: changeFirst(isNamed('response.content_part.added'), atPath(['content_index'], plusOne)),
  },
  'missing-item-done': {
    ...GREETING,
    about: 'an item is not closed',
    rule: 'open',
    frames: withoutFrame(isNamed('response.output_item.done')),
  },
  'missing-part-done': {
    ...GREETING,
    about: 'a part is not closed',
    rule: 'open',
    frames: withoutFrame(isNamed('response.content_part.done')),
  },
  'missing-text-done': {
    ...GREETING,
    about: 'a text is not closed',
    rule: 'open',
    frames: withoutFrame(isNamed('response.output_text.done')),
  },
  'text-differs': {
    ...GREETING,
    about: 'the whole text differs from its deltas',
    rule: 'text',
    frames: changeFirst(isNamed('response.output_text.done'), atPath(['text'], otherText)),
  },
  'missing-delta': { ...GREETING, about: 'a delta is missing', rule: 'text', frames: withoutFrame(TEXT_DELTA) },
  'delta-twice': { ...GREETING, about: 'a delta is sent twice', rule: 'text', frames: frameTwice(TEXT_DELTA) },
  'output-differs': {
    ...GREETING,
    about: 'the last response has another text than its item',
    rule: 'output',
    frames: changeFirst(COMPLETED, atPath(['response', 'output', 0, 'content', 0, 'text'], otherText)),
  },
  'output-empty': {
    ...GREETING,
    about: 'the last response has no output',
    rule: 'output',
    frames: changeFirst(COMPLETED, atPath(['response', 'output'], [])),
  },
  'arguments-differ': {
    ...CALL,
    about: 'the whole arguments differ from their deltas',
    rule: 'arguments',
    frames: changeFirst(isNamed('response.function_call_arguments.done'), atPath(['arguments'], '{"city":"Rome"}')),
  },
  'arguments-cut': {
    ...CALL,
    about: 'the arguments of a call are cut',
    rule: 'arguments',
    frames: changeFirst(isNamed('response.output_item.done'), atPath(['item', 'arguments'], firstHalf)),
  },
  'call-id-changes': {
    ...CALL,
    about: 'a call ends with another id',
    rule: 'identity',
    frames: changeFirst(isNamed('response.output_item.done'), atPath(['item', 'call_id'], otherText)),
  },
  'missing-created': {
    ...GREETING,
    about: 'the stream begins without its first event',
    rule: 'opening',
    frames: withoutFrame(isNamed('response.created')),
  },
  'missing-in-progress': {
    ...GREETING,
    about: 'the second event is missing',
    rule: 'opening',
    frames: withoutFrame(isNamed('response.in_progress')),
  },
  'missing-completed': {
    ...GREETING,
    about: 'the terminal event is missing',
    rule: 'terminal',
    frames: withoutFrame(COMPLETED),
  },
  'completed-twice': {
    ...GREETING,
    about: 'the terminal event is sent twice',
    rule: 'terminal',
    frames: frameTwice(COMPLETED),
  },
  'event-after-end': {
    ...GREETING,
    about: 'a delta follows the terminal event',
    rule: 'terminal',
    frames: (frames) => [...frames, ...frames.filter(TEXT_DELTA).slice(0, 1)],
  },
  'late-error': {
    ...GREETING,
    about: 'an error follows the terminal event',
    rule: 'terminal',
    frames: (frames) => [...frames, LATE_ERROR],
  },
  'error-in-the-middle': {
    ...GREETING,
    about: 'the stream goes on after an error',
    rule: 'error',
    frames: editFirst(TEXT_DELTA, (frame) => [LATE_ERROR, frame]),
  },
  'sequence-gap': {
    ...GREETING,
    about: 'a sequence number is left out',
    rule: 'sequence',
    frames: changeLast(TEXT_DELTA, atPath(['sequence_number'], plusOne)),
  },
  'event-line-differs': {
    ...GREETING,
    about: 'an event line is not the type of its event',
    rule: 'event-line',
    frames: editFirst(TEXT_DELTA, (frame) => [{ ...frame, event: 'response.text.delta' }]),
  },
  'missing-event-line': {
    ...GREETING,
    about: 'an event line is missing',
    rule: 'event-line',
    frames: editFirst(TEXT_DELTA, (frame) => [{ ...frame, event: '' }]),
  },
  'unknown-event': {
    ...GREETING,
    about: 'an event has a name that the standard has not',
    rule: 'event',
    frames: editFirst(TEXT_DELTA, (frame) => [
      { event: 'response.text.delta', data: JSON.stringify({ ...objectOf(frame), type: 'response.text.delta' }) },
    ]),
  },
  'response-id-changes': {
    ...GREETING,
    about: 'the response ends with another id',
    rule: 'identity',
    frames: changeFirst(COMPLETED, atPath(['response', 'id'], otherText)),
  },
  'time-changes': {
    ...GREETING,
    about: 'the response ends with another time of creation',
    rule: 'identity',
    frames: changeFirst(COMPLETED, atPath(['response', 'created_at'], plusOne)),
  },
  'item-not-empty': {
    ...GREETING,
    about: 'a message begins with its content',
    rule: 'added',
    frames: changeFirst(
      isNamed('response.output_item.added'),
      atPath(['item', 'content'], [{ type: 'output_text', text: 'Hello', annotations: [] }]),
    ),
  },
  'delta-after-done': {
    ...GREETING,
    about: 'a delta follows the end of its text',
    rule: 'scope',
    frames: (frames) => {
      const delta = frames.find(TEXT_DELTA)
      return afterLast(isNamed('response.content_part.done'), () => delta ?? { event: '', data: '{}' })(frames)
    },
  },
  'byte-offsets': { ...CITED, about: 'offsets of a citation count bytes', rule: 'annotation', frames: byteOffsets },
  'citation-missing': {
    ...CITED,
    about: 'the item lacks a citation that was sent',
    rule: 'annotations',
    frames: changeFirst(isNamed('response.content_part.done'), atPath(['part', 'annotations'], [])),
  },
  'status-in-progress': {
    ...GREETING,
    about: 'a completed response has the status of an open one',
    rule: 'status',
    frames: changeFirst(COMPLETED, atPath(['response', 'status'], 'in_progress')),
  },
  'usage-total': {
    ...GREETING,
    about: 'the total of the usage is not the sum of its counts',
    rule: 'usage',
    frames: changeFirst(COMPLETED, atPath(['response', 'usage', 'total_tokens'], plusOne)),
  },
  'usage-incomplete': {
    ...GREETING,
    about: 'the usage lacks a count',
    rule: 'usage',
    frames: changeFirst(COMPLETED, atPath(['response', 'usage'], { total_tokens: 18 })),
  },
  'carriage-returns': {
    ...GREETING,
    about: 'lines end with CRLF',
    rule: 'framing',
    text: (text) => text.replaceAll('\n', '\r\n'),
  },
  'byte-order-mark': {
    ...GREETING,
    about: 'the stream begins with a byte order mark',
    rule: 'framing',
    text: (text) => `\ufeff${text}`,
  },
  'open-frame': {
    ...GREETING,
    about: 'the last frame has no blank line',
    rule: 'framing',
    text: (text) => text.trimEnd(),
  },
  'broken-json': {
    ...GREETING,
    about: 'the data of an event are cut',
    rule: 'json',
    frames: editFirst(TEXT_DELTA, (frame) => [{ ...frame, data: frame.data.slice(0, -2) }]),
  },
  'body-differs': {
    ...GREETING,
    about: 'the whole answer has another text than the stream',
    rule: 'same',
    body: atPath(['output', 0, 'content', 0, 'text'], otherText),
  },
  'body-without-usage': {
    ...GREETING,
    about: 'the whole answer has no usage',
    rule: 'usage',
    body: atPath(['usage'], null),
  },
  'body-open': {
    ...GREETING,
    about: 'the whole answer is not complete',
    rule: 'status',
    body: atPath(['status'], 'in_progress'),
  },
} as const satisfies Readonly<Record<string, MockFault>>

// ---------------------------------------------------------------- Chat Completions

const CHAT = { wire: 'openai-chat', row: 'text' } as const
const CHAT_CALL = { wire: 'openai-chat', row: 'tool' } as const

const choiceIn = (frame: MockFrame): JsonRecord => {
  const [choice] = toArray(objectOf(frame).choices)
  return isObject(choice) ? choice : {}
}
const deltaIn = (frame: MockFrame): JsonRecord => {
  const { delta } = choiceIn(frame)
  return isObject(delta) ? delta : {}
}
const hasContent: FrameTest = (frame) => typeof deltaIn(frame).content === 'string' && deltaIn(frame).content !== ''
const hasPiece: FrameTest = (frame) => Array.isArray(deltaIn(frame).tool_calls)
const hasFinish: FrameTest = (frame) => typeof choiceIn(frame).finish_reason === 'string'
const PIECE = ['choices', 0, 'delta', 'tool_calls', 0] as const

const CHAT_FAULTS = {
  'chat-missing-done': { ...CHAT, about: '[DONE] is missing', rule: 'end', frames: withoutFrame(isDoneFrame) },
  'chat-done-twice': { ...CHAT, about: '[DONE] is sent twice', rule: 'end', frames: frameTwice(isDoneFrame) },
  'chat-late-chunk': {
    ...CHAT,
    about: 'a chunk follows [DONE]',
    rule: 'end',
    frames: (frames) => [...frames, ...frames.filter(hasContent).slice(0, 1)],
  },
  'chat-wrong-call-index': {
    ...CHAT_CALL,
    about: 'a call begins with another index',
    rule: 'index',
    frames: (frames) =>
      frames.map((frame) =>
        hasPiece(frame) ? withFrameValue(frame, atPath([...PIECE, 'index'], plusOne)(objectOf(frame))) : frame,
      ),
  },
  'chat-call-id-changes': {
    ...CHAT_CALL,
    about: 'the id of a call changes',
    rule: 'call',
    frames: changeLast(hasPiece, atPath([...PIECE, 'id'], 'call_other')),
  },
  'chat-call-without-id': {
    ...CHAT_CALL,
    about: 'a call has no id',
    rule: 'call',
    frames: changeFirst(hasPiece, atPath([...PIECE, 'id'], '')),
  },
  'chat-arguments-cut': {
    ...CHAT_CALL,
    about: 'the last piece of the arguments is missing',
    rule: 'call',
    frames: editLast(hasPiece, () => []),
  },
  'chat-missing-role': {
    ...CHAT,
    about: 'the first delta has no role',
    rule: 'order',
    frames: changeFirst((frame) => deltaIn(frame).role !== undefined, atPath(['choices', 0, 'delta', 'role'], null)),
  },
  'chat-id-changes': {
    ...CHAT,
    about: 'the id changes',
    rule: 'identity',
    frames: changeLast(hasContent, atPath(['id'], otherText)),
  },
  'chat-usage-twice': { ...CHAT, about: 'usage is sent twice', rule: 'usage', frames: frameTwice(hasObject('usage')) },
  'chat-usage-missing': {
    ...CHAT,
    about: 'the requested usage is missing',
    rule: 'usage',
    frames: withoutFrame(hasObject('usage')),
  },
  'chat-usage-total': {
    ...CHAT,
    about: 'the total of the usage is not the sum of its counts',
    rule: 'usage',
    frames: changeFirst(hasObject('usage'), atPath(['usage', 'total_tokens'], plusOne)),
  },
  'chat-finish-missing': {
    ...CHAT,
    about: 'finish_reason is missing',
    rule: 'finish',
    frames: withoutFrame(hasFinish),
  },
  'chat-finish-twice': { ...CHAT, about: 'a second finish_reason', rule: 'finish', frames: frameTwice(hasFinish) },
  'chat-finish-without-call': {
    ...CHAT,
    about: 'a text ends as a call',
    rule: 'finish',
    frames: changeFirst(hasFinish, atPath(['choices', 0, 'finish_reason'], 'tool_calls')),
  },
  'chat-content-after-finish': {
    ...CHAT,
    about: 'content follows the finish_reason',
    rule: 'order',
    frames: (frames) => {
      const content = frames.find(hasContent)
      return afterLast(hasFinish, (frame) => content ?? frame)(frames)
    },
  },
  'chat-error-goes-on': {
    ...CHAT,
    about: 'the stream goes on after an error',
    rule: 'end',
    frames: editFirst(hasContent, (frame) => [{ event: '', data: '{"error":{"message":"Something failed."}}' }, frame]),
  },
  'chat-event-lines': {
    ...CHAT,
    about: 'chunks have event lines',
    rule: 'event',
    frames: editFirst(hasContent, (frame) => [{ ...frame, event: 'chunk' }]),
  },
  'chat-byte-offsets': {
    wire: 'openai-chat',
    row: 'citations',
    about: 'offsets of a citation count bytes',
    rule: 'citation',
    frames: byteOffsets,
  },
  'chat-cut-character': {
    wire: 'openai-chat',
    row: 'unicode',
    about: 'a character is cut in its bytes',
    rule: 'text',
    text: (text) => text.replaceAll('世', '\ufffd'),
  },
  'chat-wrong-object': {
    ...CHAT,
    about: 'a chunk has the object of a body',
    rule: 'frame',
    frames: changeFirst(hasContent, atPath(['object'], 'chat.completion')),
  },
  'chat-content-type': {
    ...CHAT,
    about: 'the content type is not a stream’s',
    rule: 'content-type',
    type: 'text/plain',
  },
  'chat-body-differs': {
    ...CHAT,
    about: 'the whole answer has another text than the stream',
    rule: 'same',
    body: atPath(['choices', 0, 'message', 'content'], otherText),
  },
  'chat-body-arguments-object': {
    ...CHAT_CALL,
    about: 'arguments of a whole call are an object',
    rule: 'call',
    body: atPath(['choices', 0, 'message', 'tool_calls', 0, 'function', 'arguments'], { city: 'Oslo' }),
  },
  'chat-ignores-none': {
    wire: 'openai-chat',
    row: 'forbidden-tool',
    about: 'a call although tool_choice is "none"',
    rule: 'promise',
    frames: editLast(hasFinish, (frame) => [
      withFrameValue(frame, {
        ...objectOf(frame),
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                { index: 0, id: 'call_9', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    ]),
  },
  'chat-error-status': {
    wire: 'openai-chat',
    row: 'error-input',
    about: 'an error has the status 200',
    rule: 'status',
    error: (body) => ({ status: 200, text: JSON.stringify(body) }),
  },
  'chat-error-page': {
    wire: 'openai-chat',
    row: 'error-input',
    about: 'an error is a page',
    rule: 'error-body',
    error: () => ({ type: 'text/html', text: '<h1>Bad Request</h1>' }),
  },
  'chat-error-empty': {
    wire: 'openai-chat',
    row: 'error-type',
    about: 'an error has no message',
    rule: 'error-body',
    error: (body) => ({ text: JSON.stringify(atPath(['error', 'message'], '')(body)) }),
  },
  'chat-error-vague': {
    wire: 'openai-chat',
    row: 'error-type',
    about: 'an error does not name its member',
    rule: 'parameter',
    error: () => ({
      text: '{"error":{"message":"Invalid request.","type":"invalid_request_error","param":null,"code":null}}',
    }),
  },
} as const satisfies Readonly<Record<string, MockFault>>

// ---------------------------------------------------------------- Messages

const MESSAGES = { wire: 'anthropic-messages', row: 'text' } as const
const BLOCK_DELTA = isNamed('content_block_delta')
const MESSAGE_DELTA = isNamed('message_delta')

const MESSAGES_FAULTS = {
  'messages-missing-stop': {
    ...MESSAGES,
    about: 'message_stop is missing',
    rule: 'end',
    frames: withoutFrame(isNamed('message_stop')),
  },
  'messages-late-ping': {
    ...MESSAGES,
    about: 'an event follows message_stop',
    rule: 'end',
    frames: (frames) => [...frames, { event: 'ping', data: '{"type":"ping"}' }],
  },
  'messages-done': {
    ...MESSAGES,
    about: 'the stream ends with [DONE]',
    rule: 'end',
    frames: (frames) => [...frames, { event: '', data: '[DONE]' }],
  },
  'messages-missing-start': {
    ...MESSAGES,
    about: 'message_start is missing',
    rule: 'order',
    frames: withoutFrame(isNamed('message_start')),
  },
  'messages-wrong-index': {
    ...MESSAGES,
    about: 'a block begins with another index',
    rule: 'index',
    frames: changeFirst(isNamed('content_block_start'), atPath(['index'], plusOne)),
  },
  'messages-open-block': {
    ...MESSAGES,
    about: 'a block is not closed',
    rule: 'order',
    frames: withoutFrame(isNamed('content_block_stop')),
  },
  'messages-wrong-delta': {
    ...MESSAGES,
    about: 'a delta is not one of its block',
    rule: 'order',
    frames: changeFirst(BLOCK_DELTA, atPath(['delta'], { type: 'input_json_delta', partial_json: '{}' })),
  },
  'messages-event-line': {
    ...MESSAGES,
    about: 'an event line is missing',
    rule: 'event',
    frames: editFirst(BLOCK_DELTA, (frame) => [{ ...frame, event: '' }]),
  },
  'messages-unknown-event': {
    ...MESSAGES,
    about: 'an event has a name that the protocol has not',
    rule: 'event',
    frames: editFirst(BLOCK_DELTA, () => [{ event: 'content_delta', data: '{"type":"content_delta","text":"Hello"}' }]),
  },
  'messages-stop-reason': {
    wire: 'anthropic-messages',
    row: 'tool',
    about: 'a call ends as a text',
    rule: 'finish',
    frames: changeFirst(MESSAGE_DELTA, atPath(['delta', 'stop_reason'], 'end_turn')),
  },
  'messages-arguments-cut': {
    wire: 'anthropic-messages',
    row: 'tool',
    about: 'the last piece of the arguments is missing',
    rule: 'call',
    frames: editLast(BLOCK_DELTA, () => []),
  },
  'messages-usage-missing': {
    ...MESSAGES,
    about: 'the usage is missing',
    rule: 'usage',
    frames: changeFirst(MESSAGE_DELTA, dropMember('usage')),
  },
  'messages-usage-twice': {
    ...MESSAGES,
    about: 'the usage is sent twice',
    rule: 'usage',
    frames: frameTwice(MESSAGE_DELTA),
  },
  'messages-body-input-text': {
    wire: 'anthropic-messages',
    row: 'tool',
    about: 'the input of a whole call is a text',
    rule: 'call',
    body: (body) => ({
      ...body,
      content: toArray(body.content).map((block) =>
        isObject(block) && block.type === 'tool_use' ? { ...block, input: JSON.stringify(block.input) } : block,
      ),
    }),
  },
  'messages-error-form': {
    wire: 'anthropic-messages',
    row: 'error-input',
    about: 'an error has the form of another protocol',
    rule: 'error-body',
    error: (body) => ({ text: JSON.stringify({ error: body.error }) }),
  },
} as const satisfies Readonly<Record<string, MockFault>>

// ---------------------------------------------------------------- Gemini, Interactions, Ollama

const GEMINI = { wire: 'gemini-generate', row: 'text' } as const
const candidateIn = (frame: MockFrame): JsonRecord => {
  const [candidate] = toArray(objectOf(frame).candidates)
  return isObject(candidate) ? candidate : {}
}
const finishes: FrameTest = (frame) => candidateIn(frame).finishReason !== undefined
const SUPPORT = ['candidates', 0, 'groundingMetadata', 'groundingSupports', 0, 'segment'] as const

const GEMINI_FAULTS = {
  'gemini-finish-missing': {
    ...GEMINI,
    about: 'finishReason is missing',
    rule: 'finish',
    frames: changeFirst(finishes, atPath(['candidates', 0, 'finishReason'], undefined)),
  },
  'gemini-text-after-finish': {
    ...GEMINI,
    about: 'a candidate follows the finishReason',
    rule: 'order',
    frames: frameTwice(finishes),
  },
  'gemini-done': {
    ...GEMINI,
    about: 'the stream ends with [DONE]',
    rule: 'end',
    frames: (frames) => [...frames, { event: '', data: '[DONE]' }],
  },
  'gemini-usage-missing': {
    ...GEMINI,
    about: 'the usage is missing',
    rule: 'usage',
    frames: (frames) => frames.map((frame) => withFrameValue(frame, dropMember('usageMetadata')(objectOf(frame)))),
  },
  'gemini-usage-total': {
    ...GEMINI,
    about: 'the total of the usage is not the sum of its counts',
    rule: 'usage',
    frames: changeLast(hasObject('usageMetadata'), atPath(['usageMetadata', 'totalTokenCount'], plusOne)),
  },
  'gemini-character-offsets': {
    wire: 'gemini-generate',
    row: 'citations',
    about: 'offsets of a segment count characters',
    rule: 'citation',
    frames: changeLast(finishes, (value) =>
      atPath(
        [...SUPPORT, 'startIndex'],
        (old: unknown) => Number(old) - 5,
      )(atPath([...SUPPORT, 'endIndex'], (old: unknown) => Number(old) - 5)(value) as JsonRecord),
    ),
  },
  'gemini-arguments-text': {
    wire: 'gemini-generate',
    row: 'tool',
    about: 'the arguments of a call are a text',
    rule: 'call',
    frames: changeFirst(
      (frame) => JSON.stringify(objectOf(frame)).includes('functionCall'),
      atPath(['candidates', 0, 'content', 'parts', 0, 'functionCall', 'args'], '{"city":"Oslo"}'),
    ),
  },
} as const satisfies Readonly<Record<string, MockFault>>

const INTERACTION = { wire: 'gemini-interactions', row: 'text' } as const

const INTERACTIONS_FAULTS = {
  'interactions-missing-completed': {
    ...INTERACTION,
    about: 'interaction.completed is missing',
    rule: 'end',
    frames: withoutFrame(isNamed('interaction.completed')),
  },
  'interactions-missing-done': {
    ...INTERACTION,
    about: '[DONE] is missing',
    rule: 'end',
    frames: withoutFrame(isDoneFrame),
  },
  'interactions-wrong-index': {
    ...INTERACTION,
    about: 'a step begins with another index',
    rule: 'index',
    frames: changeFirst(isNamed('step.start'), atPath(['index'], plusOne)),
  },
  'interactions-open-step': {
    ...INTERACTION,
    about: 'a step is not closed',
    rule: 'order',
    frames: withoutFrame(isNamed('step.stop')),
  },
  'interactions-status': {
    ...INTERACTION,
    about: 'a text ends as a call',
    rule: 'finish',
    frames: changeFirst(isNamed('interaction.completed'), atPath(['interaction', 'status'], 'requires_action')),
  },
  'interactions-usage-total': {
    ...INTERACTION,
    about: 'the total of the usage is not the sum of its counts',
    rule: 'usage',
    frames: changeFirst(isNamed('interaction.completed'), atPath(['interaction', 'usage', 'total_tokens'], plusOne)),
  },
} as const satisfies Readonly<Record<string, MockFault>>

const OLLAMA = { wire: 'ollama-chat', row: 'text' } as const
const isLastLine: FrameTest = (frame) => objectOf(frame).done === true

const OLLAMA_FAULTS = {
  'ollama-missing-done': {
    ...OLLAMA,
    about: 'the last line is missing',
    rule: 'end',
    frames: withoutFrame(isLastLine),
  },
  'ollama-late-line': {
    ...OLLAMA,
    about: 'a line follows the last one',
    rule: 'end',
    frames: (frames) => [...frames, ...frames.slice(0, 1)],
  },
  'ollama-done-reason': {
    ...OLLAMA,
    about: 'the last line has no done_reason',
    rule: 'finish',
    frames: changeFirst(isLastLine, dropMember('done_reason')),
  },
  'ollama-arguments-text': {
    wire: 'ollama-chat',
    row: 'tool',
    about: 'the arguments of a call are a text',
    rule: 'call',
    frames: changeFirst(
      (frame) => JSON.stringify(objectOf(frame)).includes('tool_calls'),
      atPath(['message', 'tool_calls', 0, 'function', 'arguments'], '{"city":"Oslo"}'),
    ),
  },
  'ollama-events': {
    ...OLLAMA,
    about: 'lines are server-sent events',
    rule: 'frame',
    text: (text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => `data: ${line}\n\n`)
        .join(''),
  },
} as const satisfies Readonly<Record<string, MockFault>>

export const MOCK_FAULTS: Readonly<Record<string, MockFault>> = {
  ...RESPONSES_FAULTS,
  ...CHAT_FAULTS,
  ...MESSAGES_FAULTS,
  ...GEMINI_FAULTS,
  ...INTERACTIONS_FAULTS,
  ...OLLAMA_FAULTS,
  ...LOSS_FAULTS,
}
