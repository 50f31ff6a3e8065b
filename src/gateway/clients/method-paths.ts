/** The method of a model at the end of a path. The colon may be percent-encoded. */
const METHOD = /(?::|%3a)(\w+)$/i

const MODELS = '/models/'

/** The part of a path after its first `/models/`; empty if there is none. */
export function belowModels(path: string): string {
  const at = path.indexOf(MODELS)
  return at < 0 ? '' : path.slice(at + MODELS.length)
}

/** Splits `<vendor>/<model>:<method>` into name and method; the method may be empty. */
export function splitMethod(text: string): { readonly name: string; readonly method: string } {
  const found = METHOD.exec(text)
  return found === null ? { name: text, method: '' } : { name: text.slice(0, found.index), method: found[1] ?? '' }
}

/**
 * The patterns of the route table that a path with a method may match: `{base}/models/*:<method>`, and
 * `{base}/*:<method>` for a name with a slash. `bases`: the prefixes of all paths with models, the longest first.
 */
export function toMethodPatterns(path: string, bases: readonly string[]): readonly string[] {
  const { name, method } = splitMethod(path)
  const base = method === '' ? undefined : bases.find((one) => name.startsWith(`${one}/`))
  if (base === undefined) return []
  const below = name.slice(base.length)
  const row = (start: string): string => `${base}${start}*:${method}`
  if (below.startsWith(MODELS)) return [row(MODELS)]
  return /[^/](?:\/|%2f)[^/]/i.test(below) ? [row('/')] : []
}
