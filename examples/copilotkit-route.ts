// A CopilotKit endpoint for the agent of `ag-ui-route.ts`: the browser has `<CopilotKit runtimeUrl="/api/copilotkit">`.
import { HttpAgent } from '@ag-ui/client'
import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2'

const agent = new HttpAgent({ url: process.env.AGENT_URL ?? 'http://localhost:8787/agent' })
const runtime = new CopilotRuntime({ agents: { default: agent } })

const handle = createCopilotRuntimeHandler({ runtime, basePath: '/api/copilotkit' })

// The routes of Next.js: `app/api/copilotkit/[[...slug]]/route.ts`.
export const GET = handle
export const POST = handle
