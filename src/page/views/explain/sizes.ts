/** Bytes of UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length

export const formatBytes = (bytes: number): string => `${bytes.toLocaleString('en')} B`

/** A number with its noun, such as `1 loss`. `many`: the plural. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
