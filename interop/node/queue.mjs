// One queue under load: each method is one command and returns its reply.

import { Queue, Worker } from 'bullmq';

const FILLING = 'x'.repeat(51);
const CHUNK = 1_000;

export class BenchQueue {
  constructor(name, connection) {
    this.connection = connection;
    this.queue = new Queue(name, { connection });
  }

  async close() {
    await this.queue.close();
  }

  /** Offers so many, with random delays. */
  async offerAll(count, minMillis, maxMillis) {
    const start = performance.now();
    for (let from = 0; from < count; from += CHUNK) {
      const size = Math.min(CHUNK, count - from);
      await this.queue.addBulk(Array.from({ length: size }, (_, i) => job(from + i, minMillis, maxMillis)));
    }
    return rate(count, start);
  }

  /** Has a worker complete jobs until so many are complete or the time is over. */
  async consume(count, concurrency, windowMillis) {
    const worker = new Worker(this.queue.name, async () => {}, {
      connection: this.connection,
      concurrency,
      autorun: false,
      // Otherwise finished jobs stay in Redis.
      removeOnComplete: { count: 0 },
    });
    await worker.waitUntilReady();
    const start = performance.now();
    const completed = await completions(worker, count, windowMillis);
    const reply = rate(completed, start);
    await worker.close();
    return reply;
  }
}

/** Runs a worker until so many jobs are complete or the time is over; says how many are. */
function completions(worker, count, windowMillis) {
  return new Promise((resolve, reject) => {
    let completed = 0;
    const timer = setTimeout(() => resolve(completed), windowMillis);
    worker.on('error', reject);
    worker.on('completed', () => {
      completed += 1;
      if (completed === count) {
        clearTimeout(timer);
        resolve(completed);
      }
    });
    worker.run().catch(reject);
  });
}

/** A job with text of 60 bytes that starts with a number. */
function job(number, minMillis, maxMillis) {
  const delay = minMillis + Math.floor(Math.random() * (maxMillis - minMillis + 1));
  return { name: 'element', data: `${String(number).padStart(8, '0')}-${FILLING}`, opts: { delay } };
}

function rate(count, start) {
  return `ok ${count} ${Math.round((performance.now() - start) * 1_000)}`;
}
