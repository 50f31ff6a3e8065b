import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import { SEALS } from '../host/conversation.ts'
import type { Conversation, Prompted } from './converse.ts'
import { AFTER, SEAL, SUMMARY, THOUGHT } from './scripted-model.ts'
import { type Exchange, FAILURES } from './scripted-upstream.ts'

/** The answer to a WebSocket handshake where WebSocket is turned off. */
const REFUSED_UPGRADE = 426

/** Returns what went wrong; null if nothing did. */
type Scenario = (conversation: Conversation) => string | null

const promptOf = ({ prompts }: Conversation, task: Prompted['task']): Prompted | undefined =>
  prompts.find((prompt) => prompt.task === task)

const exchangesOf = (conversation: Conversation, task: Prompted['task']): readonly Exchange[] =>
  promptOf(conversation, task)?.exchanges ?? []

const all = ({ prompts }: Conversation): readonly Exchange[] => prompts.flatMap(({ exchanges }) => exchanges)

const outputsIn = ({ view }: Exchange): string =>
  view.history.map(({ kind, text }) => (kind === 'output' ? text : '')).join('\n')

const describeRun = ({ run }: Prompted): string =>
  `exit code ${run.code}: ${(run.stderr || run.stdout).replace(/\s+/g, ' ').slice(-400)}`

/** The words of these files are in the answer that the agent printed, after their outputs reached the upstream. */
function printedWords(conversation: Conversation, from: number, to: number): string | null {
  const work = promptOf(conversation, 'work')
  const last = work?.exchanges.findLast(({ kind }) => kind === 'answer')
  if (work === undefined || last === undefined) return `no answer; ${work && describeRun(work)}`
  const words = conversation.words.slice(from, to)
  const lost = words.filter((word) => !outputsIn(last).includes(word) || !work.run.stdout.includes(word))
  return lost.length === 0 ? null : `the output of a command is missing; ${describeRun(work)}`
}

/** The last answer with several calls, and the request after it. */
function afterCalls(conversation: Conversation, most: number): readonly [Exchange, Exchange] | null {
  const exchanges = exchangesOf(conversation, 'work').filter(({ task }) => task === 'work')
  const at = exchanges.findLastIndex(({ turn }) => turn.calls.length === most)
  const [asking, next] = [exchanges[at], exchanges[at + 1]]
  return asking === undefined || next === undefined ? null : [asking, next]
}

const bodyHas = ({ body }: Exchange, text: string): boolean => JSON.stringify(body).includes(text)

/** The upstream has failed as scripted, and the agent has printed the answer to the task. */
function failuresOf(conversation: Conversation, task: 'work' | 'retry'): string | null {
  const prompt = promptOf(conversation, task)
  const statuses = prompt?.exchanges.map(({ status }) => status).filter((status) => status !== 200)
  if (JSON.stringify(statuses) !== JSON.stringify(FAILURES[task])) return `the upstream has sent ${statuses}`
  return prompt?.run.stdout.includes(`done: ${task}`) === true ? null : `no answer; ${prompt && describeRun(prompt)}`
}

export const SCENARIOS = {
  'shell command': (conversation) => printedWords(conversation, 0, 1),

  'file edit': ({ edited }) => (edited.trim() === AFTER ? null : `the file contains ${JSON.stringify(edited)}`),

  'parallel calls': (conversation) => {
    if (afterCalls(conversation, 2) === null) return 'no request after an answer with two calls'
    return printedWords(conversation, 1, 3)
  },

  reasoning: (conversation) => {
    const found = afterCalls(conversation, 2)
    if (found === null) return 'no request after the reasoning'
    const [asking, next] = found
    const isSealed = SEALS.includes(conversation.wire)
    // What the protocol of the client has no place for, or the client does not keep, is no fault of the gateway.
    if (!conversation.agent.returned.includes(isSealed ? 'signatures' : 'text')) return null
    if (asking.turn.reasoning !== undefined && bodyHas(next, isSealed ? SEAL : THOUGHT)) return null
    return isSealed ? 'the signature has not returned' : 'the reasoning has not returned'
  },

  'three turns': (conversation) => {
    const third = exchangesOf(conversation, 'third').find(({ task }) => task === 'third')
    const asked = third?.view.history.flatMap(({ kind, text }) => (kind === 'user' ? text : [])).join('\n') ?? ''
    const lost = ['work', 'retry', 'third'].filter((task) => !asked.includes(`TASK ${task}`))
    return lost.length === 0 ? null : `the third request lacks the turns ${lost.join(', ')}`
  },

  'retry of the gateway': (conversation) => failuresOf(conversation, 'work'),

  'retry of the agent': (conversation) => failuresOf(conversation, 'retry'),

  compaction: (conversation) => {
    if (!all(conversation).some(({ kind }) => kind === 'compaction')) return 'no request for a summary'
    const after = exchangesOf(conversation, 'after').findLast(({ task }) => task === 'after')
    if (after === undefined) return 'no request after the compaction'
    if (!bodyHas(after, SUMMARY)) return 'the summary has not returned'
    return conversation.words.some((word) => outputsIn(after).includes(word)) ? 'the old conversation was sent' : null
  },

  'no other failure': (conversation) => {
    const { method: own } = conversation.agent
    const failed = conversation.prompts.flatMap(({ task, lines }) =>
      lines.flatMap(({ method, path, status }) => {
        const isRight = method === own ? task === 'retry' || status === 200 : status === REFUSED_UPGRADE
        return isRight ? [] : [`${method} ${path}: ${status}`]
      }),
    )
    const lost = conversation.prompts.filter(
      ({ task, run }) => run.code !== 0 || (task !== 'compaction' && !run.stdout.includes(`done: ${task}`)),
    )
    const problems = [...failed, ...lost.map((prompt) => `${prompt.task}: ${describeRun(prompt)}`)]
    return problems.length === 0 ? null : problems.join('; ')
  },
} satisfies Record<string, Scenario>

/** A row of the table: one agent over one wire. */
export interface Cell {
  readonly requests: number
  /** Requests by path. */
  readonly paths: Readonly<Record<string, number>>
  readonly losses: readonly string[]
  /** What went wrong, by scenario. */
  readonly problems: Readonly<Record<string, string>>
}

/** A loss without its place in a list, because places differ from turn to turn. */
const withoutIndex = (loss: string): string => loss.replace(/\[\d+\]/g, '[]')

export function pathsIn(lines: readonly LogLine[]): Record<string, number> {
  const paths: Record<string, number> = {}
  for (const { method, path } of lines) paths[`${method} ${path}`] = (paths[`${method} ${path}`] ?? 0) + 1
  return paths
}

export function lossesIn(lines: readonly LogLine[]): readonly string[] {
  const losses = lines.flatMap(({ losses: found }) => (Array.isArray(found) ? found.map(String) : []))
  return [...new Set(losses.map(withoutIndex))].sort()
}

export function toCell(conversation: Conversation): Cell {
  const lines = conversation.prompts.flatMap((prompt) => prompt.lines)
  const problems = Object.entries(SCENARIOS).flatMap(([name, scenario]) => {
    const problem = scenario(conversation)
    return problem === null ? [] : [[name, problem] as const]
  })
  return {
    requests: lines.length,
    paths: pathsIn(lines),
    losses: lossesIn(lines),
    problems: Object.fromEntries(problems),
  }
}
