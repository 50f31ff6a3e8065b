/** Who reads the output may have heard enough (`| head`): that ends a command, and is no failure of it. */
export function endWhenHeard(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
