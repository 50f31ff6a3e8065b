/** A Map or a WeakMap. */
interface Mapping<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** Returns the value of a key. It is created and added if there is none. */
export function getOrCreate<Key, Value extends object>(
  map: Mapping<Key, Value>,
  key: Key,
  create: (key: Key) => Value,
): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = create(key)
  map.set(key, value)
  return value
}
