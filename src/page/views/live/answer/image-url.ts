/** The first characters of a base64 text, by the format of its image. */
const BEGINNINGS: readonly (readonly [beginning: string, type: string])[] = [
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['UklGR', 'webp'],
  ['R0lGOD', 'gif'],
]

/** A longer image is not shown: its address is a text of the page. */
const LONGEST = 16 * 1024 * 1024

/** The address of a generated image, from its base64 text; null if it is no image that the page shows. */
export function imageUrlOf(result: unknown): string | null {
  if (typeof result !== 'string' || result.length > LONGEST) return null
  const type = BEGINNINGS.find(([beginning]) => result.startsWith(beginning))?.[1]
  return type === undefined ? null : `data:image/${type};base64,${result}`
}
