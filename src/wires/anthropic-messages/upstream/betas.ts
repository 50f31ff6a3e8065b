import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'

/** Types of tools that need a beta header, and the value that each of them needs. */
const TOOL_BETAS: readonly (readonly [type: RegExp, beta: string])[] = [
  [/^code_execution_2025/, 'code-execution-2025-08-25'],
  [/^web_fetch_2025/, 'web-fetch-2025-09-10'],
  [/^computer_20250124$/, 'computer-use-2025-01-24'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
  [/^memory_2025/, 'context-management-2025-06-27'],
]

const objectsIn = (list: unknown): readonly JsonRecord[] => toArray(list).filter(isObject)

const isStoredFile = ({ source }: JsonRecord): boolean => isObject(source) && source.type === 'file'

/** Returns the value of `anthropic-beta` for a body, of which nothing is assumed; null if it needs none. */
export function betasOf(body: JsonRecord): string | null {
  const types = objectsIn(body.tools).map(({ type }) => (typeof type === 'string' ? type : ''))
  const blocks = objectsIn(body.messages).flatMap(({ content }) => objectsIn(content))
  const hasFile = blocks.some((block) => isStoredFile(block) || objectsIn(block.content).some(isStoredFile))
  const all = [
    ...TOOL_BETAS.flatMap(([is, beta]) => (types.some((type) => is.test(type)) ? [beta] : [])),
    ...(hasFile ? ['files-api-2025-04-14'] : []),
    ...(blocks.some(({ type }) => type === 'compaction') ? ['compact-2026-01-12'] : []),
  ]
  return all.length === 0 ? null : all.join(',')
}
