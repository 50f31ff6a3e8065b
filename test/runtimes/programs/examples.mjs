/** Runs the examples that need no network, one after another: `examples.mjs FILE...`, in the folder of the package. */
// Each runtime prints objects in a form of its own.
console.log = (...values) => {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  process.stdout.write(`${texts.join(' ')}\n`)
}
for (const file of process.argv.slice(2)) {
  console.log(`== ${file}`)
  await import(new URL(file, import.meta.url))
}
