// Every process of a test, also one that a test starts, makes the changes that the environment names by their numbers.
const made = new Set((process.env.CHANGES ?? '').split(',').filter(Boolean).map(Number))
globalThis.__change = (number) => made.has(number)
