import type { Json, JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss, mapped, NO_SUCH_TOOL } from '../../protocol/loss.ts'
import type { Request, Tool } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { isNonEmptyString } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { isSearchTool } from '../../validation/search/search-tool.ts'
import { fitting, type RequestRule } from './rule.ts'

/** The types of Anthropic's own tools end with a date: `bash_20250124`. */
const DATED = /^([a-z_]{1,40})_\d{8}$/

const TEXT: JsonObject = { type: 'string' }
const LINE: JsonObject = { type: 'integer' }
const FILE: JsonObject = {
  path: TEXT,
  view_range: { type: 'array', items: LINE },
  file_text: TEXT,
  old_str: TEXT,
  new_str: TEXT,
  insert_line: LINE,
  insert_text: TEXT,
}

const schema = (properties: JsonObject, required: Json): JsonObject => ({ type: 'object', properties, required })

const commands = (...words: readonly string[]): JsonObject => ({ command: { type: 'string', enum: [...words] } })

const EDITS = ['view', 'create', 'str_replace', 'insert'] as const

/**
 * Tools of Anthropic that the client runs: Claude knows their parameters, which other models need to read
 * (platform.claude.com, Bash tool, Text editor tool, Memory tool).
 */
const RUN_BY_CLIENTS: Readonly<Record<string, readonly [description: string, parameters: JsonObject]>> = {
  bash: [
    'Runs a command in a bash session of the user that stays open, or restarts the session.',
    { type: 'object', properties: { command: TEXT, restart: { type: 'boolean' } } },
  ],
  text_editor: [
    'Views and edits files of the user: view (a file or a directory, lines of view_range), create (file_text), str_replace (old_str, which is in the file once, by new_str), insert (insert_text after insert_line).',
    schema({ ...commands(...EDITS), ...FILE }, ['command', 'path']),
  ],
  memory: [
    'Keeps notes in files below /memories, which stay between conversations: view, create, str_replace, insert, delete, rename (old_path, new_path).',
    schema({ ...commands(...EDITS, 'delete', 'rename'), ...FILE, old_path: TEXT, new_path: TEXT }, ['command']),
  ],
}

const AS_FUNCTION = 'sent as a function, because only Claude has this tool'

/** The function that stands for a tool; null if it has none. */
function functionFor(tool: Tool): Tool | null {
  const kind = tool.type === 'hosted' ? (DATED.exec(tool.name)?.[1] ?? '') : ''
  const [description, parameters] = lookup(RUN_BY_CLIENTS, kind) ?? []
  if (tool.type !== 'hosted' || description === undefined || parameters === undefined) return null
  const { fields, name: _, type: __, ...rest } = tool
  const name = isNonEmptyString(fields.name) ? fields.name : kind
  return { ...rest, type: 'function', name, description, parameters, strict: false }
}

/** Searches are sent as the upstream's own. */
const isDated = (tool: Tool): boolean => tool.type === 'hosted' && DATED.test(tool.name) && !isSearchTool(tool)

const NO_SETTING = 'a function has no such setting'

const settingsOf = (tool: Tool): readonly string[] =>
  tool.type === 'hosted'
    ? Object.entries(tool.fields).flatMap(([name, value]) => (name === 'name' || value === null ? [] : [name]))
    : []

/** Calls have the name and the arguments that the client expects. */
function withFunctions(request: Request) {
  const losses: Loss[] = []
  const { tools, tool_choice: choice } = request
  const sent = tools.map((tool, at): Tool | null => {
    if (!isDated(tool)) return tool
    const own = functionFor(tool)
    const path = `tools[${at}]`
    if (own === null) losses.push(dropped(path, NO_SUCH_TOOL))
    else
      losses.push(mapped(path, AS_FUNCTION), ...settingsOf(tool).map((name) => dropped(`${path}.${name}`, NO_SETTING)))
    return own
  })
  const chosen =
    typeof choice === 'object' && choice?.type === 'hosted'
      ? tools.findIndex((tool) => isDated(tool) && tool.name === choice.name)
      : -1
  const own = sent[chosen]
  return {
    request: {
      ...request,
      tools: sent.flatMap((tool) => tool ?? []),
      ...(chosen < 0 ? {} : { tool_choice: own ? ({ type: 'function', name: own.name } as const) : null }),
    },
    losses,
    toEarlier: movedEntries({ tools: [...sent.keys()].filter((at) => sent[at] !== null) }),
  }
}

export const claudeTools: RequestRule = {
  name: 'tools of Claude',
  subject: 'tools',
  // An unknown model behind the protocol may be one of Claude.
  when: ({ wire, model: { family = 'claude' } }) => wire.datedTools !== true || family !== 'claude',
  mend: (request) => (request.tools.some(isDated) ? withFunctions(request) : fitting(request)),
}
