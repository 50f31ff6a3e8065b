import type { Members } from '../../shared/upstream/answers/members.ts'

const FROM: Members = { read: ['documentIndex', 'start', 'end'] }

const CITATION: Members = {
  read: ['title', 'source'],
  inside: {
    location: {
      inside: {
        web: { read: ['url', 'domain'] },
        documentChar: FROM,
        documentPage: FROM,
        documentChunk: FROM,
        searchResultLocation: {
          ignored: { shown: ['searchResultIndex'], place: ['start', 'end'] },
        },
      },
    },
    sourceContent: { read: ['text'] },
  },
}

const REASONING: Members = {
  read: ['text', 'signature', 'redactedContent', 'data'],
  inside: { reasoningText: { read: ['text', 'signature'] } },
}

const RESULT: Members = {
  read: ['toolUseId', 'status'],
  inside: { content: { read: ['text', 'json'] } },
  ignored: { shown: ['type'] },
}

const CALL: Members = { read: ['toolUseId', 'name', 'type', 'input'] }

const IMAGE: Members = {
  read: ['source'],
  ignored: { shown: ['format'], named: ['error'] },
}

/** A piece of a block, or a whole one. Its other kinds are losses of their own. */
const CONTENT: Members = {
  path: 'content[].',
  read: ['text'],
  inside: {
    reasoningContent: REASONING,
    toolUse: CALL,
    citation: CITATION,
    citationsContent: { inside: { citations: CITATION, content: { read: ['text'] } } },
    image: IMAGE,
  },
  ignored: { kind: ['type'] },
}

const PIECE: Members = { ...CONTENT, read: ['text', 'toolResult'] }

const BLOCK: Members = { ...CONTENT, inside: { ...CONTENT.inside, toolResult: RESULT } }

const USAGE: Members = {
  read: [
    'inputTokens',
    'outputTokens',
    'totalTokens',
    'cacheReadInputTokens',
    'cacheReadInputTokenCount',
    'cacheWriteInputTokens',
    'cacheWriteInputTokenCount',
  ],
  inside: { cacheDetails: { read: ['ttl', 'inputTokens'] } },
}

const TIER: Members = { read: ['type'] }

const CONFIG: Members = { read: ['latency'] }

/** A member of Claude's answer, which Converse returns if the request names its path. */
const OWN_FIELDS: Members = { read: ['stop_sequence'] }

const EVENTS: Members = {
  read: ['contentBlockIndex'],
  ignored: { padding: ['p'], kind: ['type'] },
  byType: {
    messageStart: { ignored: { role: ['role'], id: ['conversationId'] } },
    contentBlockStart: {
      inside: { start: { path: 'content[].', inside: { toolUse: CALL, toolResult: RESULT, image: IMAGE } } },
    },
    contentBlockDelta: { inside: { delta: PIECE } },
    contentBlockStop: {},
    messageStop: {
      read: ['stopReason'],
      inside: { performanceConfig: CONFIG, additionalModelResponseFields: OWN_FIELDS },
    },
    metadata: {
      inside: { usage: USAGE, serviceTier: TIER, performanceConfig: CONFIG },
      ignored: { time: ['metrics'] },
    },
  },
}

const BODY: Members = {
  read: ['stopReason', 'Output', 'Version', '__type'],
  inside: {
    output: { inside: { message: { inside: { content: BLOCK }, ignored: { role: ['role'] } } } },
    usage: USAGE,
    serviceTier: TIER,
    performanceConfig: CONFIG,
    additionalModelResponseFields: OWN_FIELDS,
  },
  ignored: { time: ['metrics'] },
}

/** The members of events and whole answers (docs/losses.md). */
export const MEMBERS = { frame: EVENTS, body: BODY } as const
