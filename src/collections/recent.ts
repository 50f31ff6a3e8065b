const MOST = 64

/**
 * Returns a function that returns the value of a key, and creates it if there is none. The values of the last 64 keys
 * are kept.
 */
export function createRecent<Value>(): (key: string, create: () => Value) => Value {
  const values = new Map<string, Value>()
  return (key, create) => {
    const value = values.get(key) ?? create()
    values.delete(key)
    values.set(key, value)
    const [oldest] = values.keys()
    if (values.size > MOST && oldest !== undefined) values.delete(oldest)
    return value
  }
}
