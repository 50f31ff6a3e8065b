import { describeAgent } from './describe-agent.ts'
import { BASE_URL, codex, REFUSED } from './programs/codex.ts'

const MODEL = 'gpt-6-sol'

describeAgent(codex(BASE_URL, MODEL))
describeAgent(codex(REFUSED, MODEL), { mounts: [{ path: '/openai/v1', dialect: 'openai', websocket: false }] })
