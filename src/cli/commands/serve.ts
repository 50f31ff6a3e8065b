import { LOG_FORMATS, LOG_LEVELS } from '../log/log-level.ts'
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
    port: {
      value: 'PORT',
      help: 'the port, 0 for a free one; default: that of the configuration, else the variable PORT, else 8787',
    },
    host: { value: 'HOST', help: 'the name or address to listen on; default: that of the configuration' },
    log: {
      value: 'FORMAT',
      choices: async () => LOG_FORMATS,
      help: 'the log on the standard output; default: pretty on a terminal, else json, one object in each line',
    },
    'log-level': {
      value: 'LEVEL',
      choices: async () => LOG_LEVELS,
      help: 'the least important lines of the log; debug adds all fields of a request to pretty; default: info',
    },
  },
  args: { usage: '', most: 0, remedy: 'Name the configuration file with --config FILE.' },
  examples: ['millrace serve', 'millrace serve --config millrace.json --port 9000 --log-level warn'],
  isServer: true,
  async run({ options }) {
    const { serve } = await import('../serve.ts')
    return serve(options)
  },
})
