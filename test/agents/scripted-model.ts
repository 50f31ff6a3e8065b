import type { ScriptedCall, ScriptedTurn, ScriptedUsage } from '../mock-upstreams/wire-upstream.ts'
import type { OfferedTool, RequestView } from './request-view.ts'

/**
 * A model that follows a script. It has no state: which turn of which task it is at follows from the request alone, so
 * that a retry of an agent receives the same answer again.
 */

/** Files of the agent's folder. Only a shell command of the agent can find the words in them. */
export const FILES = ['first.txt', 'second.txt', 'third.txt'] as const
export const EDITED = 'edited.txt'
export const BEFORE = 'The colour is red.'
export const AFTER = 'The colour is green.'

/** What a turn of a scripted answer reasons, and its signature. */
export const THOUGHT = 'The files must be read first.'
export const SEAL = 'c2VhbCBvZiBhIHNjcmlwdGVkIHRob3VnaHQ='
export const SUMMARY = 'SUMMARY: the colour was changed to green.'

/** About 12,000 tokens, for agents that estimate the size of a conversation from its text. */
const LONG = Array.from({ length: 2500 }, (_, at) => ` Part ${at} is ${(at * 7919) % 10_007}.`).join('')

/** The prompt of a task. */
export const promptOf = (task: TaskName): string => `TASK ${task}: follow the script.`

export type TaskName = keyof typeof TASKS

interface Offer {
  readonly tools: readonly OfferedTool[]
  /** The absolute path of the agent's folder. */
  readonly folder: string
  /** The outputs of the task so far. */
  readonly outputs: string
}

/** One answer of a task: the text before its calls, and its calls. */
interface Step {
  readonly text: string
  readonly isReasoned?: boolean
  readonly calls: readonly Omit<ScriptedCall, 'id'>[]
}

/** Returns the arguments of a call, or the text that a custom tool receives. */
type Caller = (subject: string, tool: OfferedTool) => object | string

const script = (call: string): string => `text(await tools.${call})`

/** The tools of all agents that run a shell command. */
const SHELLS: Readonly<Record<string, Caller>> = {
  exec_command: (cmd) => ({ cmd }),
  exec: (cmd) => script(`exec_command(${JSON.stringify({ cmd })})`),
  Bash: (command) => ({ command, description: 'Prints a file' }),
  run_shell_command: (command) => ({ command, description: 'Prints a file' }),
  bash: (command) => ({ command, description: 'Prints a file' }),
  run_commands: (command) => ({ commands: [command] }),
}

/** The name by which a tool takes a path. */
const pathOf = ({ parameters }: OfferedTool): string => parameters.find((name) => /path$/i.test(name)) ?? 'path'

/** The pairs of names for what an edit replaces and what it inserts. */
const PAIRS = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_text', 'new_text'],
  ['old_str', 'new_str'],
] as const

function edit(path: string, tool: OfferedTool): object {
  const file = { [pathOf(tool)]: path }
  if (tool.parameters.includes('edits')) return { ...file, edits: [{ oldText: BEFORE, newText: AFTER }] }
  const [before, after] = PAIRS.find(([before]) => tool.parameters.includes(before)) ?? PAIRS[0]
  return { ...file, [before]: BEFORE, [after]: AFTER }
}

/** The tools that read a file, which some agents require before an edit. */
const READERS: Readonly<Record<string, Caller>> = {
  Read: (path, tool) => ({ [pathOf(tool)]: path }),
  read: (path, tool) => ({ [pathOf(tool)]: path }),
}

/** Qwen Code requires it before an edit, Gemini CLI not. */
const FILE_READER: Readonly<Record<string, Caller>> = { read_file: (path, tool) => ({ [pathOf(tool)]: path }) }
const isEdit = ({ name }: OfferedTool): boolean => name === 'edit'

const PATCH = `*** Begin Patch
*** Update File: ${EDITED}
@@
-${BEFORE}
+${AFTER}
*** End Patch
`

/** The tools that change a file. A tool comes before those that contain it. */
const EDITORS: Readonly<Record<string, Caller>> = {
  apply_patch: () => PATCH,
  exec: () => script(`apply_patch(${JSON.stringify(PATCH)})`),
  exec_command: () => ({ cmd: `apply_patch <<'EOF'\n${PATCH}EOF` }),
  Edit: edit,
  replace: (file_path) => ({
    file_path,
    old_string: BEFORE,
    new_string: AFTER,
    instruction: 'Change the colour to green.',
  }),
  edit,
  editor: edit,
}

/** The name of a tool without the namespace that a gateway may put before it. */
const ownName = (name: string): string => name.slice(name.lastIndexOf('__') + 1).replace(/^_/, '')

/** The call of the first of these tools that the request offers, or no call. */
function callOf(
  tools: readonly OfferedTool[],
  callers: Readonly<Record<string, Caller>>,
  subject: string,
): Step['calls'] {
  for (const [wanted, caller] of Object.entries(callers)) {
    const tool = tools.find(({ name }) => ownName(name) === wanted)
    if (tool === undefined) continue
    const { name, namespace, isCustom, parameters } = tool
    const given = caller(subject, tool)
    const scope = namespace === null ? {} : { namespace }
    if (typeof given === 'object') return [{ name, args: given, ...scope }]
    if (isCustom) return [{ name, args: {}, input: given, ...scope }]
    return [{ name, args: { [parameters[0] ?? 'input']: given }, ...scope }]
  }
  return []
}

const print = ({ tools }: Offer, file: string): Step['calls'] => callOf(tools, SHELLS, `cat ${file}`)

function workSteps(offer: Offer): readonly Step[] {
  const path = `${offer.folder}/${EDITED}`
  return [
    { text: 'The first file comes first.', isReasoned: true, calls: print(offer, FILES[0]) },
    { text: '', calls: callOf(offer.tools, offer.tools.some(isEdit) ? { ...READERS, ...FILE_READER } : READERS, path) },
    { text: 'The colour changes now.', calls: callOf(offer.tools, EDITORS, path) },
    { text: 'Two at once.', isReasoned: true, calls: [...print(offer, FILES[1]), ...print(offer, FILES[2])] },
  ].filter(({ calls }) => calls.length > 0)
}

/** A small picture. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The tools that start a sub-agent, and those that wait for it. */
const SPAWNERS: Readonly<Record<string, Caller>> = {
  spawn_agent: (message, { parameters }) =>
    parameters.includes('task_name') ? { task_name: 'child', message, fork_turns: 'none' } : { message },
  Agent: (prompt) => ({ description: 'Prints a file', prompt, subagent_type: 'general-purpose' }),
  task: (prompt) => ({ description: 'Prints a file', prompt, subagent_type: 'general' }),
}
const WAITERS: Readonly<Record<string, Caller>> = {
  wait_agent: (id, { parameters }) => ({
    ...(parameters.includes('targets') ? { targets: [id] } : {}),
    timeout_ms: 20_000,
  }),
}
const AGENT_ID = /agent_id\W+([\w-]+)/

/** The tools that show a picture of the folder. */
const VIEWERS: Readonly<Record<string, Caller>> = {
  view_image: (path) => ({ path }),
  ...FILE_READER,
  ...READERS,
}

/** What agents search for. The search of some is a request of its own that consists of these words. */
const QUERY = 'mills'

const SEARCHERS: Readonly<Record<string, Caller>> = {
  web_search: (query) => ({ query }),
  WebSearch: (query) => ({ query }),
  google_web_search: (query) => ({ query }),
}

const mcpTool = (name: string, given: object = {}): Readonly<Record<string, Caller>> => ({
  [name]: () => given,
  [`scripted_${name}`]: () => given,
  [`mcp_scripted_${name}`]: () => given,
})

const existing = (...steps: readonly Step['calls'][]): readonly Step[] =>
  steps.map((calls) => ({ text: '', calls })).filter(({ calls }) => calls.length > 0)

const delegateSteps = ({ tools, outputs }: Offer): readonly Step[] =>
  existing(callOf(tools, SPAWNERS, promptOf('child')), callOf(tools, WAITERS, AGENT_ID.exec(outputs)?.[1] ?? ''))

const childSteps = (offer: Offer): readonly Step[] => existing(print(offer, FILES[0]))

const mcpSteps = ({ tools }: Offer): readonly Step[] =>
  existing(
    callOf(tools, mcpTool('read_word'), ''),
    callOf(tools, mcpTool('draw_picture'), ''),
    callOf(tools, mcpTool('fail_always'), ''),
    callOf(tools, mcpTool('odd_schema', { text: 'odd' }), ''),
  )

const lookSteps = ({ tools, folder }: Offer): readonly Step[] =>
  existing(callOf(tools, VIEWERS, `${folder}/picture.png`))

const searchSteps = ({ tools }: Offer): readonly Step[] => existing(callOf(tools, SEARCHERS, QUERY))

const noSteps = (): readonly Step[] => []

const TASKS = {
  work: workSteps,
  retry: noSteps,
  third: noSteps,
  after: noSteps,
  delegate: delegateSteps,
  child: childSteps,
  mcp: mcpSteps,
  look: lookSteps,
  search: searchSteps,
  silence: noSteps,
} satisfies Record<string, (offer: Offer) => readonly Step[]>

const isTask = (name: string): name is TaskName => Object.hasOwn(TASKS, name)

/** Words that the files of the agent's folder contain, and that prompts do not. */
const WORD = /WORD-[\w-]+/g

export interface Decision {
  /** Null for a request that belongs to no task, such as that of a title. */
  readonly task: TaskName | null
  readonly kind: 'step' | 'answer' | 'compaction' | 'aside'
  readonly turn: ScriptedTurn
}

export interface ModelOptions {
  readonly folder: string
  /** What an answer to `task` reports. */
  usageOf(task: TaskName): ScriptedUsage | undefined
}

/** What the prompts have in common by which the agents request a summary. */
const COMPACTING =
  /create a detailed summary|CONTEXT CHECKPOINT COMPACTION|<state_snapshot>|Here is the conversation so far|Summarise the conversation above/

/** The answer to a request that is no part of a task: the title of a session, or which model Gemini CLI is to call. */
const ASIDE = { title: 'A script', complexity_reasoning: 'It is simple.', complexity_score: 10 }

/** The task of a prompt. The searches of Claude Code and Gemini CLI are requests of their own. */
const taskIn = (text: string): string =>
  /TASK (\w+)/.exec(text)?.[1] ?? (text.includes('web search for the query') || text.trim() === QUERY ? 'search' : '')

/** Decides what the model answers to a request. */
export function decide(view: RequestView, { folder, usageOf }: ModelOptions): Decision {
  const { tools, history, isCompaction, isClassification } = view
  if (isCompaction) return { task: null, kind: 'compaction', turn: { text: [], calls: [], compaction: SUMMARY } }
  const last = history.findLastIndex(({ kind, text }) => kind === 'user' && isTask(taskIn(text)))
  const name = taskIn(history[last]?.text ?? '')
  const asked = history.findLast(({ kind }) => kind === 'user')?.text ?? ''
  if (COMPACTING.test(asked)) {
    const tag = /<(summary|state_snapshot)>/.exec(asked)?.[1]
    const text = tag === undefined ? SUMMARY : `<${tag}>${SUMMARY}</${tag}>`
    return { task: null, kind: 'compaction', turn: { text: [text], calls: [] } }
  }
  if (tools.length === 0 || isClassification)
    return { task: null, kind: 'aside', turn: { text: [JSON.stringify(ASIDE)], calls: [] } }
  if (!isTask(name)) return { task: null, kind: 'aside', turn: { text: ['Nothing is left to do.'], calls: [] } }

  const usage = usageOf(name)
  const reported = usage === undefined ? {} : { usage }
  const outputs = history.slice(last).filter(({ kind }) => kind === 'output')
  const offer = { tools, folder, outputs: outputs.map(({ text }) => text).join('\n') }
  let expected = 0
  for (const [at, { text, calls, isReasoned = false }] of TASKS[name](offer).entries()) {
    if (outputs.length <= expected) {
      const turn = {
        ...(isReasoned ? { reasoning: { text: THOUGHT, seal: SEAL } } : {}),
        text: text === '' ? [] : [text.slice(0, 5), text.slice(5)],
        calls: calls.map((call, index) => ({ id: `call_${name}_${at}_${index}`, ...call })),
        ...reported,
      }
      return { task: name, kind: 'step', turn }
    }
    expected += calls.length
  }
  // The result of a sub-agent may be a message of the user.
  const received = history.slice(last + 1).filter(({ kind }) => kind === 'output' || kind === 'user')
  const words = received.flatMap(({ text }) => text.match(WORD) ?? [])
  const details = name === 'third' ? [LONG] : []
  const turn = { text: ['The task is done: ', [name, ...words].join(' '), '.', ...details], calls: [], ...reported }
  return { task: name, kind: 'answer', turn }
}
