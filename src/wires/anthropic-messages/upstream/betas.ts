import type { MessagesBody } from '../json.ts'

/** Types of tools that need a beta header, and the value that each of them needs. */
const TOOL_BETAS: readonly (readonly [type: RegExp, beta: string])[] = [
  [/^code_execution_2025/, 'code-execution-2025-08-25'],
  [/^web_fetch_2025/, 'web-fetch-2025-09-10'],
  [/^computer_20250124$/, 'computer-use-2025-01-24'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
  [/^memory_2025/, 'context-management-2025-06-27'],
]

function hasStoredFile({ messages }: MessagesBody): boolean {
  return messages.some(({ content }) =>
    content.some((block) => {
      const parts = block.type === 'tool_result' && typeof block.content === 'object' ? block.content : [block]
      return parts.some((part) => 'source' in part && part.source.type === 'file')
    }),
  )
}

const hasCompaction = ({ messages }: MessagesBody): boolean =>
  messages.some(({ content }) => content.some(({ type }) => type === 'compaction'))

/** Returns the value of `anthropic-beta`; null if the body needs none. */
export function betasOf(body: MessagesBody): string | null {
  const types = (body.tools ?? []).map(({ type }) => (typeof type === 'string' ? type : ''))
  const names = TOOL_BETAS.flatMap(([is, beta]) => (types.some((type) => is.test(type)) ? [beta] : []))
  const all = [
    ...names,
    ...(hasStoredFile(body) ? ['files-api-2025-04-14'] : []),
    ...(hasCompaction(body) ? ['compact-2026-01-12'] : []),
  ]
  return all.length === 0 ? null : all.join(',')
}
