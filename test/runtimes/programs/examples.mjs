/** Runs the examples that need no network, one after another: `examples.mjs FILE...`, in the folder of the package. */
for (const file of process.argv.slice(2)) {
  console.log(`== ${file}`)
  await import(new URL(file, import.meta.url))
}
