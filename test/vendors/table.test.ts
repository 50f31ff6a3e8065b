import { describe, expect, it } from 'vitest'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/table.ts'
import { WIRES } from '../../src/wires/registry.ts'

describe('vendors', () => {
  it.each(VENDOR_NAMES)('%s is complete', (name) => {
    const vendor = findVendor(name)
    expect(vendor?.name).toBe(name)
    expect(Object.keys(WIRES)).toContain(vendor?.wire)
    // The path is joined to it, and begins with a slash.
    if (vendor?.baseUrl) expect(vendor.baseUrl).toMatch(/^https?:\/\/[^/]+(?:\/[^/]+)*$/)
    if (vendor?.keyVariable) expect(vendor.keyVariable).toMatch(/^[A-Z_]+$/)
  })

  it.each(VENDOR_NAMES)('%s gets its key over TLS only, or on this machine', (name) => {
    const url = findVendor(name)?.baseUrl ?? null
    if (url !== null) expect(url.startsWith('https://') || url.startsWith('http://127.0.0.1')).toBe(true)
  })

  it('does not know others', () => {
    for (const name of ['nobody', '', 'constructor', '__proto__']) expect(findVendor(name)).toBeUndefined()
  })

  // Every vendor of which a stream was recorded, but for three that are no vendors.
  const recorded =
    'alibaba anthropic avian azure bedrock bedrock-mantle cerebras cloudflare cohere copilot crusoe databricks deepseek doubleword google gpustack groq heroku huggingface litellm-proxy llamacpp mirascope-router mistral mistralrs moonshot ollama ollama-cloud ollama-compat openai openrouter perplexity portkey pydantic-gateway snowflake tgi together venice vercel-gateway vllm xai zai'
  ;('alibaba anthropic avian azure bedrock-mantle cerebras cloudflare copilot crusoe databricks deepseek doubleword google google-compat gpustack groq heroku huggingface litellm-proxy llamacpp mirascope-router mistral mistralrs moonshot ollama-cloud ollama-compat openai openrouter perplexity portkey pydantic-gateway snowflake tgi together venice vercel-gateway vllm xai zai')
  it.each(recorded.split(' '))('knows %s', (name) => {
    expect(findVendor(name)).toBeDefined()
  })
})
