import type { JsonObject } from '../../protocol/json.ts'
import { isObject, toArray } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import { dataUrlKind, fileKindOf, mediaTokens, SEALED } from './media-tokens.ts'
import { countPieces } from './text-pieces.ts'

/** The sizes of an encoded request from which its tokens are estimated. All wires are measured alike. */
export interface RequestSize {
  /** Messages and items of the conversation. */
  readonly entries: number
  /** Approximate tokens of all texts but those of tools. */
  readonly text: number
  /** Functions. */
  readonly tools: number
  /** Approximate tokens of their names, descriptions and schemas, and of the schema of the answer. */
  readonly toolText: number
  /** Approximate tokens of images, audio, video and documents. */
  readonly media: number
  /**
   * False if the upstream adds content that the body does not contain: tools that it runs itself, files by address or
   * id, stored content, rules for citations. Nothing is learned from such a request.
   */
  readonly isWhole: boolean
}

/** Members of a body with the conversation, with tools, and with a schema of the answer, in all wires. */
const CONVERSATION: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'contents',
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'documents',
])
const TOOLS: ReadonlySet<string> = new Set(['tools', 'toolConfig'])
const SCHEMAS: ReadonlySet<string> = new Set([
  'response_format',
  'text',
  'format',
  'output_config',
  'outputConfig',
  'responseJsonSchema',
  'responseSchema',
  'response_schema',
])

const CONFIGS: ReadonlySet<string> = new Set(['generationConfig', 'generation_config'])

/** Members that name content which is stored elsewhere. */
const STORED: ReadonlySet<string> = new Set([
  'cachedContent',
  'cached_content',
  'previous_response_id',
  'conversation',
  'mcp_servers',
])
const FILE_NAMES: ReadonlySet<string> = new Set(['file_id', 'fileUri', 'file_uri', 'uri'])

/** Members that a model does not read: they connect or describe others. */
const SILENT: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'toolUseId',
  'cache_control',
  'status',
  'phase',
  'detail',
  'strict',
  'media_type',
  'mimeType',
  'mime_type',
  // Anthropic's signature accompanies the same reasoning as text.
  'signature',
])
const ENCRYPTED: ReadonlySet<string> = new Set([
  'encrypted_content',
  'thoughtSignature',
  'thought_signature',
  'redactedContent',
])

/** Members whose text may be a file in base64, a data URL or an address. */
const FILE_TEXTS: ReadonlySet<string> = new Set([
  'data',
  'bytes',
  'file_data',
  'url',
  'image_url',
  'images',
  'video_url',
])
/** Shorter texts are text. */
const LEAST_FILE = 400
const BASE64 = /^(?:data:[^,]{0,200},)?[\w+/=-]{100}/
const ADDRESS = /^(?:https?|gs|s3):\/\//

/** Members of which each function has one. */
const OF_FUNCTIONS = ['function', 'parameters', 'input_schema', 'toolSpec', 'parameter_definitions'] as const

/** The sizes while they are added up. */
type Sums = { -readonly [Name in keyof RequestSize]: RequestSize[Name] }

/** A value to measure, with the name of its member and the kind of the file around it. */
interface Node {
  readonly value: unknown
  readonly name: string
  readonly kind: string
}

/** Values between two pauses. */
const STRIDE = 500

/** Measures the body of a call for an upstream, in slices. Nothing is serialised. */
export function* measureRequest(body: JsonObject): Steps<RequestSize> {
  const sums: Sums = { entries: 0, text: 0, tools: 0, toolText: 0, media: 0, isWhole: true }
  for (const [name, value] of Object.entries(body)) {
    const root: Node = { value, name, kind: '' }
    if (STORED.has(name)) sums.isWhole = false
    else if (TOOLS.has(name)) yield* addTools(sums, value)
    else if (CONVERSATION.has(name)) {
      sums.entries += Array.isArray(value) ? value.length : 1
      yield* addValues(sums, root, addContent)
    } else if (SCHEMAS.has(name)) yield* addValues(sums, root, addDefinition)
    else if (CONFIGS.has(name) && isObject(value)) yield* addSchemas(sums, value)
  }
  return sums
}

function* addSchemas(sums: Sums, config: Readonly<Record<string, unknown>>): Steps<void> {
  for (const [name, value] of Object.entries(config)) {
    if (SCHEMAS.has(name)) yield* addValues(sums, { value, name, kind: '' }, addDefinition)
  }
}

function* addTools(sums: Sums, value: unknown): Steps<void> {
  const tools = isObject(value) ? value.tools : value
  for (const tool of toArray(tools)) addTool(sums, tool)
  yield* addValues(sums, { value: tools, name: '', kind: '' }, addDefinition)
}

function addTool(sums: Sums, tool: unknown): void {
  if (!isObject(tool)) return
  const inside = toArray(tool.functionDeclarations ?? tool.function_declarations ?? tool.tools).length
  if (inside > 0) sums.tools += inside
  else if (tool.type === 'custom' || OF_FUNCTIONS.some((name) => name in tool)) sums.tools += 1
  else if (!('cachePoint' in tool)) sums.isWhole = false
}

/** Adds a value and all values in it. The stack replaces recursion: a generator for each value would take longer. */
function* addValues(sums: Sums, root: Node, add: (sums: Sums, node: Node) => void): Steps<void> {
  const stack: Node[] = [root]
  for (let steps = 1; ; steps += 1) {
    const node = stack.pop()
    if (node === undefined) return
    const { value, name } = node
    if (Array.isArray(value)) for (const entry of value) stack.push({ ...node, value: entry })
    else if (isObject(value)) {
      const kind = fileKindOf(value) ?? node.kind
      for (const inner of Object.keys(value)) stack.push({ value: value[inner], name: inner, kind })
      add(sums, { value, name, kind })
    } else add(sums, node)
    if (steps % STRIDE === 0) yield
  }
}

/** Names of members are text: tools are shown to the model as JSON or as code. */
function addDefinition(sums: Sums, { value, name }: Node): void {
  if (isObject(value)) {
    for (const inner of Object.keys(value)) sums.toolText += countPieces(inner)
  } else if (typeof value === 'string') {
    if (name === 'type' || !SILENT.has(name)) sums.toolText += countPieces(value)
  } else if (value !== null) sums.toolText += 1
}

function addContent(sums: Sums, { value, name, kind }: Node): void {
  if (isObject(value)) {
    if (name === 'citations' && value.enabled === true) sums.isWhole = false
  } else if (typeof value === 'string') addText(sums, value, name, kind)
  else if (value !== null && !SILENT.has(name)) sums.text += 1
}

function addText(sums: Sums, text: string, name: string, kind: string): void {
  if (SILENT.has(name)) return
  if (FILE_NAMES.has(name)) sums.isWhole = false
  else if (ENCRYPTED.has(name)) sums.text += mediaTokens(SEALED, text.length)
  else if (!FILE_TEXTS.has(name)) sums.text += countPieces(text)
  else if (ADDRESS.test(text)) {
    sums.media += mediaTokens(kind, 0)
    sums.isWhole = false
  } else if (text.length >= LEAST_FILE && BASE64.test(text)) {
    sums.media += mediaTokens(dataUrlKind(text) ?? kind, text.length)
  } else sums.text += countPieces(text)
}
