import type { HostedItem, HostedItemType } from '../../protocol/item.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { formatJson, isObject, isText, toArray, wordOf } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { interrupt, sealParts } from './runs.ts'
import { type Bag, type GeminiState, loss, type OpenStep, type Say, tell } from './state.ts'
import { SERVER_TOOLS } from './terms.ts'

const item = (type: HostedItemType, status: string, fields: JsonObject): HostedItem => ({
  type,
  id: '',
  status,
  fields,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Code that was run, or that is running where there is no result yet. */
function codeItem(code: Bag, result: Bag | null): HostedItem {
  const outputs = result === null ? null : [{ type: 'logs', logs: textOf(result.output) }]
  const status = result === null ? 'in_progress' : result.outcome === 'OUTCOME_OK' ? 'completed' : 'failed'
  return item('code_interpreter_call', status, { code: textOf(code.code), container_id: '', outputs })
}

const texts = (value: unknown): readonly string[] => toArray(value).filter(isText)

/** What was looked for: named one by one, or as one. */
const queriesOf = (args: Bag): readonly string[] => (isText(args.query) ? [args.query] : texts(args.queries))

/** A search or the reading of pages, as OpenAI tells of them. */
export const searchItem = (queries: readonly string[], sources: readonly string[], status = 'completed'): HostedItem =>
  item('web_search_call', status, {
    action: {
      type: 'search',
      query: queries[0] ?? '',
      queries,
      ...(sources.length === 0 ? {} : { sources: sources.map((url) => ({ type: 'url', url })) }),
    },
  })

export const pageItem = (url: string, status: string): HostedItem =>
  item('web_search_call', status, { action: { type: 'open_page', url } })

/** A tool of Google's own. One that has no kin here is told as a tool of a server. */
function toolItem(call: Bag, response: Bag | null): HostedItem {
  const status = response === null ? 'in_progress' : 'completed'
  const name = textOf(call.toolType)
  const args = isObject(call.args) ? call.args : {}
  switch (lookup(SERVER_TOOLS, name)) {
    case 'search':
      return searchItem(queriesOf(args), [], status)
    case 'open':
      return pageItem(texts(args.urls)[0] ?? textOf(args.url), status)
    case 'files':
      return item('file_search_call', status, { queries: queriesOf(args), results: null })
    default: {
      const output = response === null ? null : formatJson(response.response)
      return item('mcp_call', status, {
        server_label: 'google',
        name,
        arguments: formatJson(args),
        output,
        error: null,
      })
    }
  }
}

const itemOf = (part: Bag, result: Bag | null): HostedItem =>
  isObject(part.executableCode)
    ? codeItem(part.executableCode, result)
    : toolItem(isObject(part.toolCall) ? part.toolCall : {}, result)

const idOf = (value: unknown): string => (isObject(value) ? wordOf(value.id) : '')

/** Steps that run beside each other belong together: their parts are kept in the order in which they came. */
const beside = (state: GeminiState, say: Say): GeminiState =>
  state.story.steps.length > 0 && state.story.run === null && state.story.call === null ? state : interrupt(state, say)

/** `executableCode` or `toolCall`: a step begins. */
export function beginStep(state: GeminiState, part: Bag, say: Say): GeminiState {
  const before = beside(state, say)
  const { keys, steps, raw } = before.story
  const step: OpenStep = { key: `step ${keys}`, id: idOf(part.executableCode ?? part.toolCall), part }
  const told = itemOf(part, null)
  say.push({ kind: 'hosted', key: step.key, item: told, done: false })
  return tell(before, {
    keys: keys + 1,
    steps: [...steps, step],
    raw: [...raw, part as Json],
    ...(told.type === 'web_search_call' || told.type === 'file_search_call' ? { grounded: true, searched: true } : {}),
    spoke: true,
    ended: false,
  })
}

/** `codeExecutionResult` or `toolResponse`: the step of that id is over, or else the oldest of its kind. */
export function endStep(state: GeminiState, part: Bag, say: Say): GeminiState {
  const isCode = isObject(part.codeExecutionResult)
  const result = (isCode ? part.codeExecutionResult : part.toolResponse) as Bag
  const id = idOf(result)
  const kin = state.story.steps.filter((step) => isObject(step.part.executableCode) === isCode)
  const step = kin.find((one) => id !== '' && one.id === id) ?? kin[0]
  const before = beside(state, say)
  if (step === undefined) {
    loss('the result of no step', say)
    return before
  }
  say.push({ kind: 'hosted', key: step.key, item: itemOf(step.part, result), done: true })
  const left = before.story.steps.filter((one) => one !== step)
  const ended = tell(before, { steps: left, raw: [...before.story.raw, part as Json] })
  return left.length === 0 ? sealParts(ended, say) : ended
}

/** Pictures are items of their own; there is none for sounds and the like. */
export function hearData(state: GeminiState, part: Bag, say: Say): GeminiState {
  const { mimeType, data } = part.inlineData as Bag
  if (!isText(mimeType) || !mimeType.startsWith('image/') || !isText(data) || part.thought === true) {
    // Drafts of a picture are thoughts.
    loss(part.thought === true ? 'a draft of an image' : `data of type ${wordOf(mimeType)}`, say)
    return state
  }
  const before = interrupt(state, say)
  const { keys } = before.story
  const fields = { result: data, output_format: mimeType.slice('image/'.length) }
  say.push({
    kind: 'hosted',
    key: `image ${keys}`,
    item: item('image_generation_call', 'completed', fields),
    done: true,
  })
  if (isText(part.thoughtSignature)) {
    const payload = { on: 'image', mimeType, signature: part.thoughtSignature }
    say.push({ kind: 'opaque', key: `signature ${keys}`, payload })
  }
  return tell(before, { keys: keys + 1, spoke: true, ended: false })
}
