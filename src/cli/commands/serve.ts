import { defineCommand } from '../program/command.ts'

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'starts the server',
  description:
    'Starts the server. SIGTERM stops it after its open streams have ended. SIGHUP reloads the configuration.',
  options: {
    config: {
      value: 'FILE',
      path: 'file',
      help: 'the configuration file (JSON); default: the file that MILLRACE_CONFIG names, or no file',
    },
  },
  args: { usage: '', most: 0, remedy: 'Name the configuration file with --config FILE.' },
  examples: ['PORT=8787 millrace serve --config millrace.json'],
  isServer: true,
  async run({ options }) {
    const { serve } = await import('../serve.ts')
    return serve(options)
  },
})
