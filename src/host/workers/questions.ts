/** Questions to another process. Answers name the id of their question. */
export class Questions<Answer> {
  private readonly waiting = new Map<number, (answer: Answer) => void>()
  private last = 0

  /** `send`: sends the question with its id. */
  ask(send: (id: number) => void): Promise<Answer> {
    this.last += 1
    const id = this.last
    return new Promise((resolve) => {
      this.waiting.set(id, resolve)
      send(id)
    })
  }

  answer(id: number, answer: Answer): void {
    this.waiting.get(id)?.(answer)
    this.waiting.delete(id)
  }

  answerAll(answer: Answer): void {
    for (const id of [...this.waiting.keys()]) this.answer(id, answer)
  }
}
