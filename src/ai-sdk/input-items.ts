import type { Json, JsonObject } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { APPROVAL_REQUEST, ITEM_CONTENT } from '../targets/model-parts.ts'
import { formatJson, isNonEmptyString, isObject } from '../text/json.ts'
import { toCacheBreakpoint } from './cache-breakpoint.ts'
import type { GivenApproval, GivenCall, GivenMessage, GivenPart, GivenResult, ModelWarning } from './contract.ts'
import {
  asJson,
  type FileUpstream,
  isTooDeep,
  isUnsent,
  toFilePart,
  toGeneratedImage,
  toResultPart,
  type UnsentFile,
} from './files.ts'
import type { VendorToolNames } from './tools.ts'

interface PromptOptions extends FileUpstream {
  /** The tools that take free text. */
  readonly customTools: ReadonlySet<string>
  readonly names: VendorToolNames
}

/** The prompt of a call as the input of a request. What the input has no place for is a warning. */
export class PromptItems {
  /** Null: a call that the vendor executed, before its result. */
  private readonly places: (JsonObject | null)[] = []
  readonly warnings: ModelWarning[] = []
  private readonly options: PromptOptions
  /** Calls of custom tools, whose results have a type of their own. */
  private readonly custom = new Set<string>()
  /** Calls that the vendor executed, and their places, until their result follows. */
  private readonly executed = new Map<string, { readonly call: GivenCall; readonly at: number }>()
  /** Calls that wait for an approval. */
  private readonly pending = new Set<string>()
  /** The names of tools as their vendor has them, by those of the program. */
  private readonly ownNames: ReadonlyMap<string, string>

  constructor(prompt: readonly GivenMessage[], options: PromptOptions) {
    this.options = options
    this.ownNames = new Map([...options.names].map(([own, given]) => [given, own]))
    for (const message of prompt) this.add(message)
  }

  get items(): readonly JsonObject[] {
    return this.places.filter((item) => item !== null)
  }

  private add(message: GivenMessage): void {
    const own = toCacheBreakpoint(message)
    if (message.role === 'system') {
      this.places.push({
        type: 'message',
        role: 'system',
        content: [{ type: 'input_text', text: message.content, ...own }],
      })
      return
    }
    const last = message.content.length - 1
    message.content.forEach((part, at) => {
      // A breakpoint of a message is at its end.
      const end = { ...(at === last ? own : {}), ...toCacheBreakpoint(part) }
      if (message.role === 'user') this.addUserPart(part, end)
      else this.addPart(part, end)
    })
  }

  private addUserPart(part: GivenPart, end: JsonObject): void {
    if (part.type === 'text') this.addContent('user', { type: 'input_text', text: part.text, ...end })
    else if (part.type === 'file') {
      const made = toFilePart(part, this.options)
      if (isUnsent(made)) {
        this.warn(`a file of the type ${part.mediaType}`, made)
        this.warnOfEnd(part, end)
      } else this.addContent('user', { ...made, ...end })
    } else this.warn(`a part of the type ${part.type}`, { why: 'messages of the user have texts and files only' })
  }

  /** Parts of one message that follow each other are in one item. */
  private addContent(role: 'user' | 'assistant', part: JsonObject): void {
    const last = this.places.at(-1)
    if (last?.type === 'message' && last.role === role) (last.content as JsonObject[]).push(part)
    else this.places.push({ type: 'message', role, content: [part] })
  }

  private addPart(part: GivenPart, end: JsonObject): void {
    switch (part.type) {
      case 'text':
        this.addContent('assistant', {
          ...(ownMembers(part).refusal === true
            ? { type: 'refusal', refusal: part.text }
            : { type: 'output_text', text: part.text }),
          ...end,
        })
        break
      case 'reasoning':
        this.addReasoning(part.text, ownMembers(part).encryptedContent)
        this.warnOfEnd(part, end)
        break
      case 'tool-call':
        this.addCall(part, end)
        break
      case 'tool-result':
        this.addResult(part, end)
        break
      case 'file':
      case 'reasoning-file': {
        const item = toGeneratedImage(part)
        if (item === null) this.warn(`a file of the type ${part.mediaType}`, { why: 'answers have images only' })
        else this.places.push(item)
        this.warnOfEnd(part, end)
        break
      }
      case 'custom': {
        const { item } = ownMembers(part)
        if (part.kind === ITEM_CONTENT && isObject(item)) this.places.push(item as JsonObject)
        else this.warn(`content of the kind ${part.kind}`, { why: 'it belongs to another provider' })
        this.warnOfEnd(part, end)
        break
      }
      case 'tool-approval-response':
        this.addApproval(part)
    }
  }

  /** Reasoning without its encrypted content, such as that of another provider, is a text that vendors may ignore. */
  private addReasoning(text: string, encrypted: unknown): void {
    const summary = text === '' ? [] : [{ type: 'summary_text', text }]
    const sealed = isNonEmptyString(encrypted) ? { encrypted_content: encrypted } : {}
    if (summary.length > 0 || isNonEmptyString(encrypted)) this.places.push({ type: 'reasoning', summary, ...sealed })
  }

  private addCall(part: GivenCall, end: JsonObject): void {
    const { toolCallId: call_id, toolName, input, providerExecuted } = part
    const name = this.ownNames.get(toolName) ?? toolName
    if (providerExecuted === true) {
      if (ownMembers(part).itemType === APPROVAL_REQUEST) {
        this.pending.add(call_id)
        this.places.push({ ...toObject(input), type: APPROVAL_REQUEST, id: call_id })
      } else this.executed.set(call_id, { call: part, at: this.places.push(null) - 1 })
      return
    }
    const { custom, namespace } = ownMembers(part)
    const space = isNonEmptyString(namespace) ? { namespace } : {}
    if (custom === true || this.options.customTools.has(name)) {
      this.custom.add(call_id)
      this.places.push({ type: 'custom_tool_call', call_id, name, ...space, input: asText(input), ...end })
    } else this.places.push({ type: 'function_call', call_id, name, ...space, arguments: asText(input), ...end })
  }

  private addResult(part: GivenResult, end: JsonObject): void {
    const executed = this.executed.get(part.toolCallId)
    if (executed !== undefined) {
      this.executed.delete(part.toolCallId)
      this.places[executed.at] = this.toExecuted(executed.call, part)
      this.warnOfEnd(part, end)
      return
    }
    const isCustom = this.custom.has(part.toolCallId)
    const failed = /^(?:error-|execution-denied)/.test(part.output.type) && !isCustom ? { failed: true } : {}
    const type = isCustom ? 'custom_tool_call_output' : 'function_call_output'
    this.places.push({
      type,
      call_id: part.toolCallId,
      output: this.outputOf(part),
      ...failed,
      ...end,
      ...toCacheBreakpoint(part.output),
    })
  }

  /** The answer to a request of this prompt; one whose call has run already is part of its result. */
  private addApproval({ approvalId, approved }: GivenApproval): void {
    if (!this.pending.delete(approvalId)) return
    this.places.push({ type: 'mcp_approval_response', approval_request_id: approvalId, approve: approved })
  }

  /** A call of the vendor's own tool and its result are the item that they were. */
  private toExecuted(call: GivenCall, { toolName, output }: GivenResult): JsonObject | null {
    const { itemType, itemId } = ownMembers(call)
    const value = output.type === 'json' || output.type === 'error-json' ? output.value : undefined
    // Images are files of the answer.
    if (itemType === 'image_generation_call') return null
    if (!isNonEmptyString(itemType) || !isObject(value)) {
      this.warn(`a call of ${toolName} that a provider executed`, { why: 'it is of another provider' })
      return null
    }
    if (isTooDeep(value) || isTooDeep(toValue(call.input))) {
      this.warn(`a call of ${toolName} that a provider executed`, { why: 'its values are nested too deep' })
      return null
    }
    const id = isNonEmptyString(itemId) ? itemId : call.toolCallId
    return { ...toObject(call.input), ...(asJson(value) as JsonObject), type: itemType, id }
  }

  private outputOf({ output, toolName }: GivenResult): Json {
    switch (output.type) {
      case 'text':
      case 'error-text':
        return output.value
      case 'json':
      case 'error-json':
        return formatJson(output.value)
      case 'execution-denied':
        return output.reason ?? 'The execution of this tool was denied.'
      case 'content':
        return output.value.flatMap((one) => {
          const made = toResultPart(one, this.options)
          if (!isUnsent(made)) return [{ ...made, ...toCacheBreakpoint(one) }]
          this.warn(`content of a result of ${toolName}`, made)
          return []
        })
    }
  }

  /** Only texts, files, calls and their results have a place for a breakpoint. */
  private warnOfEnd({ type }: GivenPart, end: JsonObject): void {
    if (Object.keys(end).length > 0)
      this.warn('cacheControl', { why: `a part of the type ${type} has no place for it` })
  }

  private warn(feature: string, { why }: UnsentFile): void {
    this.warnings.push({ type: 'unsupported', feature, details: why })
  }
}

const ownMembers = (part: GivenPart): Readonly<Record<string, unknown>> => part.providerOptions?.[OWN_NAMESPACE] ?? {}

const asText = (input: unknown): string => (typeof input === 'string' ? input : formatJson(input ?? {}))

/** The input of a call of a vendor, as a value or as its text. */
const toObject = (input: unknown): JsonObject => {
  const value = toValue(input)
  return isObject(value) && !isTooDeep(value) ? (asJson(value) as JsonObject) : {}
}

const toValue = (input: unknown): unknown => (typeof input === 'string' ? safeParse(input) : input)

const safeParse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
