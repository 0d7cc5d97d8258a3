/** A thread that measures cells: it is told of pools and cells and answers with what it measured. Started by `run-bench.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BenchModels, createMeasurer, type MeasureOrder, type Scenario } from './measurer.ts';
import { packError } from './thread-error.ts';

export type ToWorker = { readonly type: 'pools'; readonly scenario: Scenario } | { readonly type: 'measure'; readonly order: MeasureOrder };

if (parentPort) {
  const port = parentPort;
  const measurer = createMeasurer(workerData as BenchModels);
  port.on('message', (message: ToWorker) => {
    if (message.type === 'pools') measurer.pools(message.scenario);
    else
      measurer.measure(message.order).then(
        (measured) => port.postMessage({ measured }),
        (error: unknown) => port.postMessage({ error: packError(error) }),
      );
  });
}
