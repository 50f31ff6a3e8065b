import { isObject, parseJson } from '../../src/text/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../../test/wires/with-kits.ts'
import { type Answered, faultIn } from '../fuzz/verdict.ts'
import { type ChaosCase, isOpenEnded } from './cases.ts'

/** The last word of each complete answer. */
export const lastWordOf = (number: number): string => `last-word-of-${number}`

/** What a wire sends with the reason of the finish. */
export const FINISHES: Readonly<Record<WireName, string>> = withKits(
  {
    'openai-chat': '"finish_reason":"stop"',
    'openai-responses': '"type":"response.completed"',
    'anthropic-messages': '"stop_reason":"end_turn"',
    'gemini-generate': '"finishReason":"STOP"',
    'bedrock-converse': '"stopReason":"end_turn"',
    'cohere-chat': '"finish_reason":"COMPLETE"',
    'ollama-chat': '"done":true',
  },
  ({ finish }) => finish,
)

/** What ends a stream of a protocol: with success, and with a failure or an answer that is not complete. */
interface Terminals {
  readonly success: RegExp
  readonly other: RegExp
  /** What follows the success, as a part of the protocol. */
  readonly after: RegExp
}

const RESPONSES: Terminals = {
  success: /"type":\s?"response\.completed"/g,
  // An `error` may come before the failed response that it describes.
  other: /"type":\s?"(?:response\.(?:failed|incomplete)"|error"(?![\s\S]*"type":\s?"response\.failed"))/g,
  after:
    /^[^\n]*\n\n(?:(?:event: response\.done\n)?data: \{"type":"response\.done"[^\n]*\n\n)?(?:data: \[DONE\]\n\n)?$/,
}

const TERMINALS: Readonly<Record<string, Terminals>> = {
  responses: RESPONSES,
  'responses, beta': RESPONSES,
  websocket: RESPONSES,
  chat: { success: /^data: \[DONE\]$/gm, other: /^data: \{"error":/gm, after: /^\n\n$/ },
  messages: { success: /^event: message_stop$/gm, other: /^event: error$/gm, after: /^\ndata: [^\n]*\n\n$/ },
  gemini: {
    success: /"finishReason":\s?"STOP"/g,
    other: /"error":\s?\{|"finishReason":\s?"(?!STOP)/g,
    after: /^[^\n]*\r?\n\r?\n/,
  },
  interactions: {
    success: /^data: (?=.*"event_type":"interaction\.completed").*"status":"completed"/gm,
    other: /^data: (?=.*"event_type":"interaction\.completed").*"status":"(?:failed|incomplete)"/gm,
    after: /^[^\n]*\n\nevent: done\ndata: \[DONE\]\n\n$/,
  },
  ollama: { success: /"done":\s?true/g, other: /^\{"error":/gm, after: /^[^\n]*\n$/ },
}

const count = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0

/** Whether the upstream has sent a complete answer, and a client must receive it. */
function expectationOf(one: ChaosCase, isFinished: boolean): 'success' | 'failure' | 'either' {
  const { cutAt, ending, isStream } = one
  if (cutAt !== null) return isStream && isFinished ? 'either' : 'failure'
  // Only the end of its connection ends such a body.
  if (!isStream && isOpenEnded(one)) return 'either'
  // A reset discards what its peer has not read yet.
  return ending === 'rst' ? 'either' : 'success'
}

function faultInStream(text: string, name: string, expected: string): string | null {
  const terminals = TERMINALS[name] as Terminals
  const successes = count(terminals.success, text)
  const others = count(terminals.other, text)
  const end = (): string => `…${text.slice(-200)}`
  if (successes + others !== 1) return `${successes} ends and ${others} failures: ${end()}`
  if (expected === 'failure' && successes === 1) return `a cut answer that ends with success: ${end()}`
  if (expected === 'success' && others === 1) return `a complete answer that fails: ${end()}`
  if (successes === 0) return null
  const [last] = [...text.matchAll(terminals.success)].slice(-1)
  const rest = text.slice((last?.index ?? 0) + (last?.[0].length ?? 0))
  return terminals.after.test(rest) || name === 'websocket' ? null : `bytes after the end: ${rest.slice(0, 200)}`
}

/** Returns what is wrong with an exchange, or null. `isFinished`: the upstream has sent the reason of its finish. */
export function faultOf(
  one: ChaosCase,
  number: number,
  answered: Answered,
  path: string,
  isFinished: boolean,
): string | null {
  const { protocol, isStream } = one
  const { status, text, hasLeft } = answered
  const fault = protocol.isWebSocket ? answered.fault : faultIn(answered, path)
  if (fault !== null || hasLeft) return fault
  const expected = expectationOf(one, isFinished)
  const isAnswer = status === 200
  if (!isAnswer) {
    if (expected === 'success') return `status ${status}: ${text.slice(0, 200)}`
    return isObject(parseJson(text)) ? null : `an error that is no JSON: ${text.slice(0, 200)}`
  }
  if (isStream) {
    const inStream = faultInStream(text, protocol.name, expected)
    if (inStream !== null) return inStream
  } else if (expected === 'failure') return `a cut answer with status 200: …${text.slice(-200)}`
  const isSuccess = !isStream || count((TERMINALS[protocol.name] as Terminals).success, text) > 0
  return isSuccess && !text.includes(lastWordOf(number)) ? `success without its last word: …${text.slice(-200)}` : null
}
