/** A path that ends in the method of a model, with its colon as it is or escaped; null: it names none. */
const METHOD = /(?::|%3a)(\w+)$/i

const MODELS = '/models/'

/** What follows the first `/models/` of a path; empty where nothing does. */
export function belowModels(path: string): string {
  const at = path.indexOf(MODELS)
  return at < 0 ? '' : path.slice(at + MODELS.length)
}

/** `<vendor>/<model>:<method>` → the name and the method, which is empty where there is none. */
export function splitMethod(text: string): { readonly name: string; readonly method: string } {
  const found = METHOD.exec(text)
  return found === null ? { name: text, method: '' } : { name: text.slice(0, found.index), method: found[1] ?? '' }
}

/**
 * The rows of the table of routes that a path with a method may match: `{base}/models/*:<method>`, and where the name has a
 * slash `{base}/*:<method>`. `bases`: the starts of all paths with models, the longest first.
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
