import fc from 'fast-check'

/** Sections of a configuration that a reload may bring, each or none: from any to any other of them. */
export const reloadedSections = fc.record(
  {
    retry: fc.record({ attempts: fc.integer({ min: 1, max: 5 }), breaker_failures: fc.integer({ min: 0, max: 3 }) }),
    timeouts: fc.record({ idle_seconds: fc.constantFrom(600, 3600), first_byte_seconds: fc.constantFrom(600, 3600) }),
    limits: fc.record({ request_body_bytes: fc.constantFrom(100_000, 10_000_000) }),
    models: fc.constantFrom(
      [],
      [{ match: 'other-*', to: ['acme/other'] }],
      [{ match: 'quick', to: ['acme/a', 'acme/b'] }],
    ),
    keep_alive_seconds: fc.constantFrom(0, 5, 15),
  },
  { requiredKeys: [] },
)
