/** Exits without an error if the reader of the output closes the pipe early, as in `| head`. */
export function ignoreBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
