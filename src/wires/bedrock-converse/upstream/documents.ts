import type { InputPart, Request } from '../../../protocol/request.ts'

export type FilePart = Extract<InputPart, { readonly type: 'input_file' }>

export type DocumentNames = ReadonlyMap<FilePart, string>

const LONGEST = 180

/**
 * Replaces characters that Bedrock refuses. A name may contain only letters, digits, single spaces, hyphens,
 * parentheses and square brackets.
 */
function clean(filename: string): string {
  const stem = filename.replace(/\.[A-Za-z0-9]{1,5}$/, '')
  const name = stem
    .replace(/[^A-Za-z0-9\s()[\]-]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(name) ? name.slice(0, LONGEST).trim() : 'document'
}

const isFile = (part: { readonly type: string }): part is FilePart => part.type === 'input_file'

function filesOf({ input }: Request): readonly FilePart[] {
  return input.flatMap((item) => {
    switch (item.type) {
      case 'message':
        return [...item.content].filter(isFile)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return item.output.filter(isFile)
      default:
        return []
    }
  })
}

/**
 * Names the documents of a request. Bedrock refuses two documents with the same name, in any case, so later ones get a number. O(n)
 * for n files: the numbers of a name continue after its last file.
 */
export function nameDocuments(request: Request): DocumentNames {
  const names = new Map<FilePart, string>()
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  for (const file of filesOf(request)) {
    const name = clean(file.filename ?? '')
    const small = name.toLowerCase()
    let count = counts.get(small) ?? 1
    let free = name
    while (taken.has(free.toLowerCase())) {
      count += 1
      free = `${name} (${count})`
    }
    counts.set(small, count)
    taken.add(free.toLowerCase())
    names.set(file, free)
  }
  return names
}
