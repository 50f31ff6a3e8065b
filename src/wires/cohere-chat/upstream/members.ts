import type { Members } from '../../shared/upstream/answers/members.ts'

/** A document has members of the client's own, which the answer repeats. */
const CITATION: Members = {
  path: 'message.citations[].',
  read: ['start', 'end', 'text', 'content_index', 'type'],
  inside: {
    sources: { read: ['id', 'url', 'document', 'tool_output'], ignored: { kind: ['type'] } },
  },
}

const CONTENT: Members = {
  path: 'message.content[].',
  read: ['text', 'thinking', 'type'],
}

const CALL: Members = {
  path: 'message.tool_calls[].',
  read: ['id'],
  inside: { function: { read: ['name', 'arguments'] } },
  ignored: { kind: ['type'] },
}

const MESSAGE: Members = {
  path: 'message.',
  read: ['tool_plan'],
  inside: { content: CONTENT, tool_calls: CALL, citations: CITATION },
  ignored: { role: ['role'] },
}

const USAGE: Members = {
  path: 'usage.',
  read: ['cached_tokens'],
  inside: {
    tokens: {
      read: ['input_tokens', 'output_tokens', 'reasoning_tokens'],
      ignored: { total: ['image_tokens'] },
    },
  },
  ignored: { accounts: ['billed_units'] },
}

const ENDING = ['finish_reason', 'error', 'error_type'] as const

const EVENT: Members = {
  read: ['type'],
  inside: { delta: { path: '', read: ENDING, inside: { message: MESSAGE, usage: USAGE } } },
  ignored: { id: ['id'], position: ['index'] },
}

const NO_MORE: Members = {}

const EVENTS: Members = {
  ...EVENT,
  byType: {
    'message-start': NO_MORE,
    'content-start': NO_MORE,
    'content-delta': { ignored: { unrequested: ['logprobs'] } },
    'content-end': NO_MORE,
    'tool-plan-delta': NO_MORE,
    'tool-call-start': NO_MORE,
    'tool-call-delta': NO_MORE,
    'tool-call-end': NO_MORE,
    'citation-start': NO_MORE,
    'citation-end': NO_MORE,
    'message-end': NO_MORE,
  },
}

const BODY: Members = {
  read: ENDING,
  inside: { message: MESSAGE, usage: USAGE },
  ignored: { id: ['id'], unrequested: ['logprobs'] },
}

/** The members of events and whole answers (docs/losses.md). */
export const MEMBERS = { frame: EVENTS, body: BODY } as const
