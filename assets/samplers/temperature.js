// Temperature: sharpen the distribution below 1, flatten it above 1.
window.lab.sampler("temperature", (logits, { temperature }) => {
  const divisor = Math.fround(temperature);
  return logits.map((logit) => logit / divisor);
});
