// A matrix as a picture: a pixel a number in shades of one hue.
(() => {
  "use strict";
  const lab = window.lab;

  // One hue from the card to the accent: monotonous in brightness, readable without colour.
  function ramp() {
    const canvas = document.createElement("canvas");
    canvas.width = 256;
    canvas.height = 1;
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const fade = pen.createLinearGradient(0, 0, 256, 0);
    fade.addColorStop(0, lab.colour("map-low"));
    fade.addColorStop(0.55, lab.colour("map-mid"));
    fade.addColorStop(1, lab.colour("map-high"));
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 256, 1);
    return new Uint32Array(pen.getImageData(0, 0, 256, 1).data.buffer.slice(0));
  }
  function image(numbers, rows, cols, shades) {
    const image = new ImageData(cols, rows),
      pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < rows * cols; i++) pixels[i] = shades[numbers[i]];
    return image;
  }

  lab.heatmap = { ramp, image };
})();
